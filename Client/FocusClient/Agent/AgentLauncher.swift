#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts the agent in the background, where none runs.
package enum AgentLauncher {
    /// Starts this program again as the agent, in a session of its own; what it says goes to the end of the file
    /// `log`. It ends by itself where an agent runs already.
    ///
    /// Returns false where the system doesn't let a process be started. Doesn't wait for the agent.
    package static func start(program: String, log: String) -> Bool {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return false }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return false }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawnattr_setflags(&attributes, newSession)

        let words = ["focus", "agent", "run"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
        return posix_spawn(&process, program, &actions, &attributes, arguments, environ) == 0
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which Glibc shows under a macro that Swift doesn't set.
    static let newSession: Int16 = 0x80

    /// The path of the program that runs.
    package static var thisProgram: String {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes { buffer in
            buffer.assumingMemoryBound(to: CChar.self).baseAddress.map {
                readlink("/proc/self/exe", $0, buffer.count)
            } ?? -1
        }
        guard count > 0, count < path.count else { return CommandLine.arguments.first ?? "focus" }
        return String(decoding: path[..<count], as: UTF8.self)
    }
}
