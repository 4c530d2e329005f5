import Foundation
import Glibc
import Synchronization

/// A program that runs in a pseudoterminal.
package final class Terminal {
    private let process: pid_t
    private let descriptor: Int32
    private var printed = ""

    /// Starts the program at `path`.
    ///
    /// - Parameter variables: The program's whole environment.
    package init(_ path: String, _ words: [String], _ variables: [String: String]) throws {
        var (testEnd, programEnd): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
        // Under the lock no other program starts, which would inherit both ends.
        let name = try Program.spawning.withLock { _ in
            var name = [CChar](repeating: 0, count: 128)
            guard openpty(&testEnd, &programEnd, &name, nil, &size) == 0 else {
                throw Unmet("there is no terminal to be had: \(String(cString: strerror(errno)))")
            }
            for end in [testEnd, programEnd] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        descriptor = testEnd
        defer { close(programEnd) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The program leads a new session. So the terminal that it opens is the session's controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // This is `POSIX_SPAWN_SETSID`, which Glibc defines under a macro that Swift doesn't set.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
        let arguments = ([path] + words).map { strdup($0) } + [nil]
        let assignments = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + assignments { free(text) } }
        var process: pid_t = 0
        let status = Program.spawning.withLock { _ in
            posix_spawn(&process, path, &actions, &attributes, arguments, assignments)
        }
        guard status == 0 else {
            close(testEnd)
            throw Unmet("\(path) can't be started: \(String(cString: strerror(status)))")
        }
        self.process = process
    }

    deinit {
        kill(process, SIGKILL)
        close(descriptor)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Types `text`.
    package func type(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw Unmet("the terminal is gone") }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Waits until the program has printed `expected`. Returns the text before it that no earlier call has
    /// returned.
    package func wait(for expected: String) throws -> String {
        var found = ""
        try eventually("'\(expected)' shows at the terminal, which has: \(printed.suffix(2000))") {
            read()
            guard let range = printed.range(of: expected) else { return false }
            found = String(printed[..<range.lowerBound])
            printed = String(printed[range.upperBound...])
            return true
        }
        return found
    }

    private func read() {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 100) > 0 else { return }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count > 0 { printed += String(decoding: chunk[..<count], as: UTF8.self) }
    }
}
