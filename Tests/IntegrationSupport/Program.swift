import Foundation
import Glibc
package import Synchronization
package import TestSupport

/// A built program.
package struct Program {
    package let path: String

    package static let focus = Program(named: "focus")
    package static let focusd = Program(named: "focusd")

    /// Held while a program starts, and while a descriptor is open that isn't marked close-on-exec yet.
    package static let spawning = Mutex<Void>(())

    /// A program of the system.
    package init(path: String) { self.path = path }

    /// The program of this name in the folder of the built tests.
    private init(named name: String) {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - variables: The whole environment, except `PATH`.
    ///   - wrapper: The wrapper in which the program runs.
    ///   - clock: The program's wall clock if it is wrong.
    ///   - inherited: Descriptors that the program gets as 3, 4, …
    ///   - log: The path of the file to which standard error is appended.
    package func start(
        _ words: [String], _ variables: [String: String],
        under wrapper: ProgramWrapper = ProgramWrapper(),
        clock: WrongClock? = nil, input: String? = nil, inherited: [Int32] = [], in folder: TemporaryFolder,
        log: String
    ) throws -> RunningProgram {
        let output = folder.fresh("output")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var source = "/dev/null"
        if let input {
            source = folder.fresh("input")
            try input.write(toFile: source, atomically: false, encoding: .utf8)
        }
        posix_spawn_file_actions_addopen(&actions, 0, source, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for (index, descriptor) in inherited.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(3 + index))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This thread blocks signals, and the program would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let environment = variables.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
            .merging(clock?.variables ?? [:]) { _, wrong in wrong }
        let command = wrapper.programs + (clock?.wrapper ?? []) + [path] + words
        let arguments = cStrings(command)
        let assignments = cStrings(environment.map { "\($0)=\($1)" })
        defer { for text in arguments + assignments { free(text) } }
        var process: pid_t = 0
        let status = Program.spawning.withLock { _ in
            posix_spawn(&process, command[0], &actions, &attributes, arguments, assignments)
        }
        guard status == 0 else {
            throw Unmet("\(path) can't be started: \(String(cString: strerror(status)))")
        }
        let name = URL(fileURLWithPath: path).lastPathComponent
        return RunningProgram(
            process, ([name] + words).joined(separator: " "), isWrapped: clock != nil, output: output,
            messages: log)
    }
}

/// Returns C strings, each of which the caller has to free, and a final nil.
private func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
}
