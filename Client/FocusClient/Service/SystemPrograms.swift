import FocusContact
import FocusNet
package import SystemKit

/// The functions by which commands run other programs of the system.
package struct SystemPrograms: Sendable {
    /// The service manager of the system.
    let manager: AgentService.Manager
    /// Returns the path of this program.
    let programPath: @Sendable () -> String
    /// Runs a program and waits for its end. A name without a slash is looked up in PATH. Throws if there is
    /// no such program.
    let run: @Sendable (_ words: [String]) throws(SystemError) -> ProgramResult
    /// Opens an address in the person's browser; false if that isn't possible.
    package let browse: @Sendable (_ address: String, Environment) -> Bool

    /// Makes functions without a browser, for tests.
    package init(
        programPath: @escaping @Sendable () -> String,
        run: @escaping @Sendable (_ words: [String]) throws(SystemError) -> ProgramResult
    ) {
        self.init(manager: .systemd, programPath: programPath, run: run)
    }

    init(
        manager: AgentService.Manager, programPath: @escaping @Sendable () -> String,
        run: @escaping @Sendable (_ words: [String]) throws(SystemError) -> ProgramResult,
        browse: @escaping @Sendable (_ address: String, Environment) -> Bool = { _, _ in false }
    ) {
        self.manager = manager
        self.programPath = programPath
        self.run = run
        self.browse = browse
    }

    /// The functions that run the programs of this machine.
    package static let process = SystemPrograms(
        manager: thisManager, programPath: { ProgramPath.present },
        run: { words throws(SystemError) in try ProgramResult.run(words) },
        browse: { address, environment in Browser().open(address, environment) })

    /// The functions by which `focus share` runs other programs.
    var forSharing: SharingPrograms {
        var programs = SharingPrograms.process
        programs.focus = programPath
        programs.run = run
        programs.hasUnits = manager == .systemd
        return programs
    }

    private static var thisManager: AgentService.Manager {
        #if os(macOS)
            .launchd(user: getuid())
        #else
            .systemd
        #endif
    }
}

/// The person's browser. The desktop's own opener program finds it.
struct Browser {
    private let run: (_ words: [String]) throws(SystemError) -> ProgramResult
    private let start: (_ words: [String]) -> Bool

    /// The variables of a desktop. Without any of these xdg-open would look for a browser that runs in a
    /// terminal.
    private static let variables = ["WAYLAND_DISPLAY", "DISPLAY", "BROWSER"]
    /// Runs a program with the variables of the user's systemd. Programs that it leaves behind go on. The address,
    /// which has a key, doesn't get into the journal.
    private static let service =
        ["systemd-run", "--user", "--quiet", "--collect", "--wait", "--description=Lockstep's page"]
        + ["KillMode=process", "StandardOutput=null", "StandardError=null"].map { "--property=\($0)" }

    /// The browser, by these functions.
    ///
    /// - Parameters:
    ///   - run: Runs a program and waits for its end.
    ///   - start: Starts a program; false if it can't be started, or soon fails.
    init(
        run: @escaping (_ words: [String]) throws(SystemError) -> ProgramResult = {
            words throws(SystemError) in try ProgramResult.run(words, within: .seconds(2))
        }, start: @escaping (_ words: [String]) -> Bool = { Browser.startProgram($0) }
    ) {
        self.run = run
        self.start = start
    }

    /// Opens an address in the browser; false if that isn't possible.
    func open(_ address: String, _ environment: Environment) -> Bool {
        #if os(macOS)
            return start(["open", address])
        #else
            let opener = ["xdg-open", address]
            let isOnDesktop = Browser.variables.contains { environment[$0] != nil }
            if isOnDesktop, start(opener) { return true }
            // Over SSH nobody may be at the desktop.
            guard environment["SSH_CONNECTION"] == nil, hasDesktop else { return false }
            return start(Browser.service + opener)
        #endif
    }

    /// Whether the user's systemd has a desktop's variables. An agent that systemd started at login is older than
    /// the desktop.
    private var hasDesktop: Bool {
        let lines = (try? run(["systemctl", "--user", "show-environment"]))?.text.split(separator: "\n")
        return lines?.contains { line in Browser.variables.contains { line.hasPrefix("\($0)=") } } ?? false
    }

    /// Starts a program; false if it can't be started, or soon fails. A program that keeps running may be the
    /// browser itself, and isn't waited for.
    private static func startProgram(_ words: [String]) -> Bool {
        guard let process = try? BackgroundProgram.start(words.first ?? "", words) else { return false }
        let isGood = Polling.wait(atMost: failureTimeout) { () -> Bool? in
            var status: Int32 = 0
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status == 0 }
            return ended < 0 && errno != EINTR ? false : nil
        }
        return isGood ?? true
    }

    /// The time to wait for a failure of the program.
    private static let failureTimeout = Duration.seconds(3)
}
