package import FocusLink
package import FocusNet
package import SystemKit

/// The functions by which `focus share` asks the system. Tests replace them.
package struct SharingPrograms: Sendable {
    /// Returns the path of `focus`.
    package var focus: @Sendable () -> String
    /// Runs a program and waits for its end. Throws if there is no such program.
    package var run: @Sendable (_ words: [String]) throws(SystemError) -> ProgramResult
    /// Starts a program in the background, with a file for its messages, and returns its process id.
    package var start: @Sendable (_ words: [String], _ messages: String) throws(SystemError) -> Int32
    /// Whether the system's service manager is systemd.
    package var hasUnits: Bool
    /// Returns the laptop's numeric addresses that others can reach.
    package var hosts: @Sendable () -> [String]
    /// Whether somebody answers at this address of the laptop.
    package var answers: @Sendable (_ host: String, _ port: UInt16) -> Bool
    /// Whether a server can listen at this port.
    package var isFree: @Sendable (_ port: UInt16) -> Bool
    /// Returns the machines that can reach a host. May wait for the network.
    package var reach: @Sendable (_ host: String) -> HostReach
    /// The path of ufw's settings, which everybody may read.
    package var ufwSettings: String

    /// The functions of this machine.
    package static let process = SharingPrograms(
        focus: { ProgramPath.present },
        run: { words throws(SystemError) in try ProgramResult.run(words) },
        start: { words, messages throws(SystemError) in
            try BackgroundProgram.start(words.first ?? "", words, messages: messages)
        },
        hasUnits: hasSystemd, hosts: { OwnAddresses.numeric() },
        answers: { host, port in PortProbe.answers(host, port) }, isFree: { PortProbe.isFree($0) },
        reach: { HostReach($0) }, ufwSettings: "/etc/ufw/ufw.conf")

    private static var hasSystemd: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Makes functions from their parts.
    package init(
        focus: @escaping @Sendable () -> String,
        run: @escaping @Sendable (_ words: [String]) throws(SystemError) -> ProgramResult,
        start: @escaping @Sendable (_ words: [String], _ messages: String) throws(SystemError) -> Int32,
        hasUnits: Bool, hosts: @escaping @Sendable () -> [String],
        answers: @escaping @Sendable (_ host: String, _ port: UInt16) -> Bool,
        isFree: @escaping @Sendable (_ port: UInt16) -> Bool,
        reach: @escaping @Sendable (_ host: String) -> HostReach, ufwSettings: String
    ) {
        self.focus = focus
        self.run = run
        self.start = start
        self.hasUnits = hasUnits
        self.hosts = hosts
        self.answers = answers
        self.isFree = isFree
        self.reach = reach
        self.ufwSettings = ufwSettings
    }

    /// Returns the obstacles between other laptops and this port, as far as this laptop can find out.
    package func problems(at port: UInt16) -> [SharingProblem] {
        let hosts = hosts()
        guard !hosts.isEmpty else { return [.noNetwork] }
        var found: [SharingProblem] = hosts.filter { !answers($0, port) }.map {
            .noAnswer(host: $0, port: port)
        }
        if isUfwActive { found.append(.firewall(.ufw, port: port)) }
        if (try? run(["firewall-cmd", "--state"]))?.status == 0,
            (try? run(["firewall-cmd", "--query-port=\(port)/tcp"]))?.status != 0
        {
            found.append(.firewall(.firewalld, port: port))
        }
        return found
    }

    /// Whether ufw is switched on. Only root may read its rules.
    private var isUfwActive: Bool {
        guard let bytes = try? FileDescriptor.contents(of: ufwSettings) else { return false }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
            let words = line.filter { $0 != "\"" && !$0.isWhitespace }.lowercased()
            return words == "enabled=yes"
        }
    }
}
