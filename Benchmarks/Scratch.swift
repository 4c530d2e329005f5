#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A benchmark's folder, with a server in it. Both are removed at the end.
final class Scratch {
    let path: String
    private let programs: Programs
    private(set) var server: pid_t?

    /// A port of 127.0.0.1 that was free when this value was created.
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

    /// Returns a port of 127.0.0.1 that is free now.
    static func freePort() throws -> Int {
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

    /// Options that let many laptops enrol at once from one address.
    static let manyAtOnce = ["--enrolments-per-minute", "1000"]

    /// Sets up a server, starts it and waits until it is ready.
    func startServer(_ words: [String] = manyAtOnce) throws {
        try programs.run(programs.focusd, ["init", "--data", serverData, "--address", "127.0.0.1:\(port)"])
        try serve(words)
    }

    /// Tells the server to end, and waits for its end. Kills the server after a minute.
    ///
    /// - Returns: Whether the server ended by itself.
    @discardableResult
    func stopServer() -> Bool {
        guard let process = server.take() else { return true }
        kill(process, SIGTERM)
        return programs.wait(process, atMost: .seconds(60)) != nil
    }

    /// Starts the server that is set up already, and waits until it is ready.
    func serve(_ words: [String] = manyAtOnce) throws {
        let ends = try Programs.pipe()
        server = try programs.start(
            programs.focusd,
            ["serve", "--data", serverData, "--listen", "127.0.0.1:\(port)"] + words, output: ends.write)
        close(ends.write)
        // The server prints a line when it is ready.
        var byte: UInt8 = 0
        guard read(ends.read, &byte, 1) == 1 else {
            throw Programs.Failed(description: "the server doesn't start")
        }
        close(ends.read)
    }

    /// Returns an invite that brings a group to the server.
    func serverInvite() throws -> String {
        try Scratch.lastLine(programs.run(programs.focusd, ["invite", "--data", serverData]))
    }

    /// Returns the last line of a program's output.
    static func lastLine(_ text: String) -> String {
        text.split(separator: "\n").last.map(String.init) ?? ""
    }
}
