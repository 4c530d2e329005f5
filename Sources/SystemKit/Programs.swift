/// A program that goes on by itself, in a session of its own and without input.
package enum BackgroundProgram {
    /// Starts it, and gives its process. Doesn't wait for it.
    ///
    /// - Parameters:
    ///   - path: looked for in PATH where it is a name alone.
    ///   - words: what it is called by, and its arguments.
    ///   - messages: the file to whose end goes what it says on standard error; no link.
    /// - Throws: where it can't be started: mostly it isn't there, or `messages` can't be written.
    package static func start(
        _ path: String, _ words: [String], messages: String = "/dev/null"
    ) throws(SystemError) -> Int32 {
        // Who can put a link there must not choose what is written to.
        guard let output = OwnedDescriptor(NewFile.open(messages, O_WRONLY | O_APPEND | O_NOFOLLOW)) else {
            throw SystemError("\(messages) can't be opened")
        }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        try check(posix_spawn_file_actions_init(&actions), path)
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check(posix_spawnattr_init(&attributes), path)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.number, 2)
        posix_spawnattr_setflags(&attributes, SystemNumber.newSession)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: Int32 = 0
        let code = SystemText.withBytes(path) {
            posix_spawnp(&process, $0, &actions, &attributes, arguments, environ)
        }
        try check(code, path)
        return process
    }

    private static func check(_ code: Int32, _ path: String) throws(SystemError) {
        guard code == 0 else { throw SystemError("\(path) can't be started", code: code) }
    }
}

/// Where the program is that runs, so that it can be started again, as it may have been upgraded since.
package enum ProgramPath {
    /// What the system adds to the path of a file that was removed, or that another one has taken the place of.
    private static let mark = " (deleted)"

    /// The path of this process's program; a name alone is to be looked for in PATH.
    package static var present: String {
        found(running: processLink.flatMap(link), called: ProgramWords.all.first) {
            access($0, X_OK) == 0
        }
    }

    /// - Parameters:
    ///   - running: what the system says runs; nil where it doesn't.
    ///   - called: what the process was called by.
    ///   - isThere: whether a program is at a path.
    package static func found(running: String?, called: String?, isThere: (String) -> Bool) -> String {
        if let running {
            if isThere(running) { return running }
            // An upgrade has put the new one in its place.
            if running.hasSuffix(mark), case let place = String(running.dropLast(mark.count)), isThere(place)
            {
                return place
            }
        }
        if let called, called.hasPrefix("/"), isThere(called) { return called }
        return "focus"
    }

    /// Whether a program of this name would be found, which may be a path; true where nobody knows, without PATH.
    package static func isFound(_ name: String, in environment: Environment = .process) -> Bool {
        guard !name.contains("/") else { return access(name, X_OK) == 0 }
        guard let folders = environment["PATH"] else { return true }
        return folders.split(separator: ":", omittingEmptySubsequences: false).contains {
            access("\($0.isEmpty ? "." : $0)/\(name)", X_OK) == 0
        }
    }

    private static func link(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = target.withUnsafeMutableBytes { buffer in
            buffer.assumingMemoryBound(to: CChar.self).baseAddress.map { readlink(path, $0, buffer.count) }
                ?? -1
        }
        guard count > 0, count < target.count else { return nil }
        return SystemText.string(target[..<count])
    }
}

/// The environment variables, as the commands read them: an empty one counts as not set.
package struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?
    /// The home folder of the user that the system knows, or nil if it knows none.
    private let listedHome: @Sendable () -> String?

    /// The variables of this process.
    package static let process = Environment { name in
        getenv(name).map { SystemText.string($0) }
    } listedHome: {
        let home = getpwuid(geteuid()).flatMap { $0.pointee.pw_dir }.map { SystemText.string($0) }
        return home.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An environment of only these variables.
    ///
    /// - Parameter listedHome: the home folder in the system's list of users.
    package init(_ variables: [String: String], listedHome: String? = nil) {
        self.init({ variables[$0] }, listedHome: { listedHome })
    }

    private init(
        _ lookUp: @escaping @Sendable (String) -> String?, listedHome: @escaping @Sendable () -> String?
    ) {
        self.lookUp = lookUp
        self.listedHome = listedHome
    }

    /// The user's home folder: `HOME`, or what the system's list of users says. Nil if neither names one.
    package var home: String? { self["HOME"] ?? listedHome() }

    /// The variable's value; nil where it is not set or empty.
    package subscript(name: String) -> String? {
        lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// What the terminal may be called in the system's database of terminals (terminfo).
package enum TerminalType {
    /// The names to look for there, the best first: `TERM`, and before it the form of it that has true colours
    /// (`xterm-direct` for `xterm-256color`), where `COLORTERM` says that the terminal does.
    package static func names(_ environment: Environment) -> [String] {
        let type = environment["TERM"] ?? ""
        guard ["truecolor", "24bit"].contains(environment["COLORTERM"]), !type.isEmpty else { return [type] }
        let palette = "-256color"
        let stem = type.hasSuffix(palette) ? String(type.dropLast(palette.count)) : type
        return ["\(stem)-direct", type]
    }
}
