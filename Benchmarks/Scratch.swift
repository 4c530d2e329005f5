#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder for what a benchmark needs, with a server in it; all of it goes at the end.
final class Scratch {
    let path: String
    private let programs: Programs
    private(set) var server: pid_t?

    /// A port of 127.0.0.1 that nobody listened on as this began.
    let port: Int

    init(_ programs: Programs) throws {
        self.programs = programs
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/focus-bench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Programs.Failed(description: "no folder in \(parent)")
        }
        path = String(cString: made)
        port = try Scratch.freePort()
    }

    private static func freePort() throws -> Int {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(probe, $0, length) == 0 && getsockname(probe, $0, &length) == 0
            }
        }
        guard isBound else { throw Programs.Failed(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        stopServer()
        _ = try? programs.run("rm", ["-rf", path])
    }

    var serverData: String { "\(path)/server" }

    /// All sources of a load come from one address, at once.
    static let manyAtOnce = ["--enrolments-per-minute", "1000"]

    /// Starts a server and waits until it is ready.
    func startServer(_ words: [String] = manyAtOnce) throws {
        try programs.run(programs.focusd, ["init", "--data", serverData, "--address", "127.0.0.1:\(port)"])
        try serve(words)
    }

    /// Tells the server to end, and waits until it has. One that goes on for a minute is killed.
    ///
    /// - Returns: whether it ended by itself.
    @discardableResult
    func stopServer() -> Bool {
        guard let process = server.take() else { return true }
        kill(process, SIGTERM)
        return programs.wait(process, atMost: .seconds(60)) != nil
    }

    /// Starts the server that there is, and waits until it is ready.
    func serve(_ words: [String] = manyAtOnce) throws {
        let ends = try Programs.pipe()
        server = try programs.start(
            programs.focusd,
            ["serve", "--data", serverData, "--listen", "127.0.0.1:\(port)"] + words, output: ends.write)
        close(ends.write)
        var byte: UInt8 = 0
        guard read(ends.read, &byte, 1) == 1 else {
            throw Programs.Failed(description: "the server doesn't start")
        }
        close(ends.read)
    }

    /// An invite that brings a group to the server.
    func serverInvite() throws -> String {
        try Scratch.lastLine(programs.run(programs.focusd, ["invite", "--data", serverData]))
    }

    /// The last line of what a program printed.
    static func lastLine(_ text: String) -> String {
        text.split(separator: "\n").last.map(String.init) ?? ""
    }
}
