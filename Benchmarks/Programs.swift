#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The built programs, and functions that run them.
struct Programs {
    /// The folder of `focus` and `focusd`, which is also this program's.
    let folder: String

    init() {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes { buffer in
            buffer.assumingMemoryBound(to: CChar.self).baseAddress.map {
                readlink("/proc/self/exe", $0, buffer.count)
            } ?? 0
        }
        let own = String(decoding: path[..<max(0, count)], as: UTF8.self)
        folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
    }

    var focus: String { "\(folder)/focus" }
    var focusd: String { "\(folder)/focusd" }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end and returns its output.
    ///
    /// - Throws: `Failed` if its exit status isn't 0.
    @discardableResult
    func run(
        _ program: String, _ arguments: [String], home: String? = nil, startsAgent: Bool = true
    ) throws -> String {
        let ends = try Programs.pipe()
        let process = try start(
            program, arguments, home: home, startsAgent: startsAgent, output: ends.write)
        close(ends.write)
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(ends.read, &chunk, chunk.count), count > 0 { output += chunk[..<count] }
        close(ends.read)
        let status = wait(process)
        guard status == 0 else {
            throw Failed(description: "\(program) \(arguments.joined(separator: " ")): exit \(status)")
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Creates a pipe. Started programs don't inherit its ends.
    static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw Failed(description: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Starts a program. Its standard output goes to `output`, or to /dev/null if that is nil.
    func start(
        _ program: String, _ arguments: [String], home: String? = nil, startsAgent: Bool = true,
        output: Int32? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = []
        for name in ["PATH", "HOME"] {
            if let value = getenv(name) { variables.append(strdup("\(name)=\(String(cString: value))")) }
        }
        if !startsAgent { variables.append(strdup("FOCUS_NO_AGENT=1")) }
        if let home { variables.append(strdup("FOCUS_HOME=\(home)")) }
        defer { for variable in variables { free(variable) } }
        variables.append(nil)
        var process: pid_t = 0
        let status = posix_spawnp(&process, program, &actions, nil, words, variables)
        guard status == 0 else { throw Failed(description: "\(program) can't be started") }
        return process
    }

    /// Waits for a process up to `limit`, and kills it after that.
    ///
    /// - Returns: The exit status, as `wait` returns it; nil if this function has killed the process.
    func wait(_ process: pid_t, atMost limit: Duration) -> Int32? {
        let end = ContinuousClock.now + limit
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < end else {
                kill(process, SIGKILL)
                wait(process)
                return nil
            }
            poll(nil, 0, 5)
        }
        return Programs.exitStatus(status)
    }

    /// Waits for a process and returns its exit status; 128 and the signal's number if a signal ended it.
    @discardableResult
    func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return Programs.exitStatus(status)
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
