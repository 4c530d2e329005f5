/// A program that runs by itself, in its own session and without input.
package enum BackgroundProgram {
    /// Starts a program and returns its process id, without waiting for it.
    ///
    /// - Parameters:
    ///   - path: The program. If it is only a name, it is looked up in PATH.
    ///   - words: The name by which it is called, and its arguments.
    ///   - messages: The file to which its standard error is appended. Must not be a link.
    /// - Throws: `SystemError` if it can't be started: usually it doesn't exist, or `messages` can't be
    ///   written.
    package static func start(
        _ path: String, _ words: [String], messages: String = "/dev/null"
    ) throws(SystemError) -> Int32 {
        // A user who can put a link there must not choose the file that is written to.
        guard let output = OwnedDescriptor(NewFile.open(messages, O_WRONLY | O_APPEND | O_NOFOLLOW)) else {
            throw SystemError("\(messages) can't be opened")
        }
        return try ProgramLauncher.start(path, words, errors: output.number, inNewSession: true)
    }
}

/// The start of another program, as a child of this process.
enum ProgramLauncher {
    /// Starts a program and returns its process id.
    ///
    /// Signals that this thread blocks or that this process ignores are the program's as usual. Each of the
    /// program's outputs is a copy of a descriptor of this process, or /dev/null if that is nil.
    static func start(
        _ path: String, _ words: [String], output: Int32? = nil, errors: Int32, inNewSession: Bool = false
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        try check(posix_spawn_file_actions_init(&actions), path)
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check(posix_spawnattr_init(&attributes), path)
        defer { posix_spawnattr_destroy(&attributes) }
        let descriptors = zip(Int32(0)..., [nil, output, errors])
        // All copies come first: a descriptor of this process may have one of the three numbers.
        for case (let number, let descriptor?) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        for (number, descriptor) in descriptors where descriptor == nil {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let signals = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, inNewSession ? signals | SystemNumber.newSession : signals)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
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

/// The path of the running program, for starting it again. An upgrade may have replaced the program since.
package enum ProgramPath {
    /// The suffix that the system adds to the path of a file that was removed or replaced.
    private static let deletedSuffix = " (deleted)"

    /// The path of this process's program. If it is only a name, it must be looked up in PATH.
    package static var present: String {
        resolve(running: processLink.flatMap(link), called: ProgramWords.all.first) {
            access($0, X_OK) == 0
        }
    }

    /// The folder in which the page for browsers is installed: `share/lockstep/web` beside the folder of this
    /// program.
    package static var pageFolder: String {
        let programs = PathParts.parent(of: present)
        return "\(programs.flatMap(PathParts.parent) ?? "/usr")/share/lockstep/web"
    }

    /// Returns the path of the running program; `focus` if nothing better is known.
    ///
    /// - Parameters:
    ///   - running: The program's path according to the system, or nil if it doesn't report one.
    ///   - called: The name by which the process was called.
    ///   - isThere: Returns whether there is a program at a path.
    package static func resolve(running: String?, called: String?, isThere: (String) -> Bool) -> String {
        if let running {
            if isThere(running) { return running }
            // An upgrade has put the new program in its place.
            if running.hasSuffix(deletedSuffix),
                case let place = String(running.dropLast(deletedSuffix.count)), isThere(place)
            {
                return place
            }
        }
        if let called, called.hasPrefix("/"), isThere(called) { return called }
        return "focus"
    }

    /// Whether a program with this name or path exists. True for a name if PATH isn't set, because then it
    /// can't be looked up here.
    package static func isFound(_ name: String, in environment: Environment = .process) -> Bool {
        guard !name.contains("/") else { return access(name, X_OK) == 0 }
        guard let places = places(of: name, in: environment) else { return true }
        return places.contains { access($0, X_OK) == 0 }
    }

    /// Returns the absolute path of the program with this name: beside another program, or else in PATH. Nil
    /// if there is none.
    package static func find(
        _ name: String, beside other: String, in environment: Environment
    ) -> String? {
        let beside = PathParts.parent(of: other).map { ["\($0)/\(name)"] } ?? []
        return (beside + (places(of: name, in: environment) ?? [])).first {
            $0.hasPrefix("/") && access($0, X_OK) == 0
        }
    }

    /// Returns the paths of a program's name in the folders of PATH; nil if PATH isn't set.
    private static func places(of name: String, in environment: Environment) -> [String]? {
        environment["PATH"]?.split(separator: ":", omittingEmptySubsequences: false).map {
            "\($0.isEmpty ? "." : $0)/\(name)"
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

/// The environment variables. An empty variable counts as not set.
package struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?
    /// The home folder in the system's list of users, or nil if it has none.
    private let listedHome: @Sendable () -> String?

    /// The variables of this process.
    package static let process = Environment { name in
        getenv(name).map { SystemText.string($0) }
    } listedHome: {
        let home = getpwuid(geteuid()).flatMap { $0.pointee.pw_dir }.map { SystemText.string($0) }
        return home.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An environment with only these variables.
    ///
    /// - Parameter listedHome: The home folder in the system's list of users.
    package init(_ variables: [String: String], listedHome: String? = nil) {
        self.init({ variables[$0] }, listedHome: { listedHome })
    }

    private init(
        _ lookUp: @escaping @Sendable (String) -> String?, listedHome: @escaping @Sendable () -> String?
    ) {
        self.lookUp = lookUp
        self.listedHome = listedHome
    }

    /// The user's home folder: `HOME`, or the one in the system's list of users. Nil if neither has one.
    package var home: String? { self["HOME"] ?? listedHome() }

    /// The variable's value, or nil if it is not set or empty.
    package subscript(name: String) -> String? {
        lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the variable's value if it is an absolute path; otherwise nil. The XDG base directory
    /// specification requires that other paths are ignored.
    package func folder(_ name: String) -> String? { self[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
}

/// The terminal's names in the system's database of terminals (terminfo).
package enum TerminalType {
    /// Returns the names to look up, the best first. The last is `TERM`. If `COLORTERM` says that the
    /// terminal has true colours, the first is the variant for them (`xterm-direct` for `xterm-256color`).
    package static func names(_ environment: Environment) -> [String] {
        let type = environment["TERM"] ?? ""
        guard hasExactColours(environment), !type.isEmpty else { return [type] }
        let palette = "-256color"
        let stem = type.hasSuffix(palette) ? String(type.dropLast(palette.count)) : type
        return ["\(stem)-direct", type]
    }

    /// Whether `COLORTERM` says that the terminal has true colours.
    package static func hasExactColours(_ environment: Environment) -> Bool {
        ["truecolor", "24bit"].contains(environment["COLORTERM"])
    }
}
