/// A program that goes on by itself, in a session of its own and without input.
package enum BackgroundProgram {
    /// Starts it, and gives its process. Doesn't wait for it.
    ///
    /// - Parameters:
    ///   - path: looked for in PATH where it is a name alone.
    ///   - words: what it is called by, and its arguments.
    ///   - messages: the file to whose end goes what it says on standard error.
    /// - Throws: where it can't be started: mostly it isn't there, or `messages` can't be written.
    package static func start(
        _ path: String, _ words: [String], messages: String = "/dev/null"
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        try check(posix_spawn_file_actions_init(&actions), path)
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check(posix_spawnattr_init(&attributes), path)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, messages, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawnattr_setflags(&attributes, newSession)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: Int32 = 0
        try check(posix_spawnp(&process, path, &actions, &attributes, arguments, environ), path)
        return process
    }

    private static func check(_ code: Int32, _ path: String) throws(SystemError) {
        guard code == 0 else { throw SystemError("\(path) can't be started", code: code) }
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which Glibc shows under a macro that Swift doesn't set.
    private static let newSession: Int16 = 0x80
}
