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
        run: { words throws(SystemError) in try ProgramResult(of: words) },
        browse: { address, environment in Browser.open(address, environment) })

    private static var thisManager: AgentService.Manager {
        #if os(macOS)
            .launchd(user: getuid())
        #else
            .systemd
        #endif
    }
}

/// The result of a program that has ended.
package struct ProgramResult: Hashable, Sendable {
    /// The exit status; 128 plus the signal's number if a signal ended the program.
    package let status: Int32
    /// The standard output and the error output of the program, mixed as it wrote them.
    package let text: String

    /// Makes a result from its parts.
    package init(status: Int32, text: String) {
        self.status = status
        self.text = text
    }

    /// Runs a program without input, and waits for its end.
    fileprivate init(of words: [String]) throws(SystemError) {
        let name = words.first ?? ""
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("\(name) can't be started") }
        let (output, input) = (ends[0], ends[1])
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, input, 1)
        posix_spawn_file_actions_adddup2(&actions, input, 2)
        posix_spawn_file_actions_addclose(&actions, input)
        posix_spawn_file_actions_addclose(&actions, output)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
        let failure = SystemText.withBytes(name) {
            posix_spawnp(&process, $0, &actions, nil, arguments, environ)
        }
        close(input)
        guard failure == 0 else { throw SystemError("\(name) can't be started", code: failure) }
        let bytes = try FileDescriptor(output, named: name).readAll()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        self.init(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F),
            text: String(decoding: bytes, as: UTF8.self))
    }
}

/// The person's browser. The desktop's own opener program finds it.
enum Browser {
    /// Opens an address in the browser; false if that isn't possible.
    static func open(_ address: String, _ environment: Environment) -> Bool {
        #if os(macOS)
            return start(["open", address])
        #else
            // Without any of these xdg-open would look for a browser that runs in a terminal.
            let desktop = ["WAYLAND_DISPLAY", "DISPLAY", "BROWSER"]
            guard desktop.contains(where: { environment[$0] != nil }) else { return false }
            return start(["xdg-open", address])
        #endif
    }

    /// Starts a program; false if it can't be started, or soon fails. A program that keeps running may be the
    /// browser itself, and isn't waited for.
    private static func start(_ words: [String]) -> Bool {
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
