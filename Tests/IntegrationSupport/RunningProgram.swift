import Dispatch
import FocusCore
import Foundation
package import Glibc
import Synchronization

/// What came of a program that ran to its end.
package struct Outcome {
    /// Its exit status; 128 and the signal's number where a signal ended it.
    package let status: Int32
    /// What it wrote to standard output and to standard error.
    package let output: String
    package let messages: String

    /// The last line of the output: an invite, where the program printed one.
    package var lastLine: String { output.split(separator: "\n").last.map(String.init) ?? "" }
}

/// A program that was started, and that is killed at the latest when nobody refers to it any more.
package final class RunningProgram: Sendable {
    package let process: pid_t
    private let what: String
    /// Whether the process is one that runs the program and stays (`WrongClock.wrapper`).
    private let isWrapped: Bool
    private let outputFile: String
    private let messagesFile: String
    private let end = End()

    /// How a program ended. A thread waits for that and takes note.
    private final class End: Sendable {
        let status = Mutex<Int32?>(nil)
        let isKnown = DispatchSemaphore(value: 0)

        func wait(for process: pid_t) {
            var info = siginfo_t()
            // It stays there as a zombie until the lock is held, so that nobody can signal another process that
            // was given the same number.
            while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            status.withLock { known in
                var status: Int32 = 0
                waitpid(process, &status, 0)
                known = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
            }
            isKnown.signal()
        }
    }

    package init(
        _ process: pid_t, _ what: String, isWrapped: Bool = false, output: String, messages: String
    ) {
        self.process = process
        self.what = what
        self.isWrapped = isWrapped
        outputFile = output
        messagesFile = messages
        let end = end
        Thread.detachNewThread { end.wait(for: process) }
    }

    deinit { signal(SIGKILL) }

    /// Whether it hasn't ended.
    package var isRunning: Bool { end.status.withLock { $0 == nil } }

    /// What it has written to standard output so far.
    package var output: String { contents(outputFile) }

    /// What it has written to standard error so far.
    package var messages: String { contents(messagesFile) }

    private func contents(_ file: String) -> String {
        String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data(), as: UTF8.self)
    }

    /// Sends it a signal, unless it has ended.
    package func signal(_ signal: Int32) {
        end.status.withLock { if $0 == nil { _ = Glibc.kill(process, signal) } }
    }

    /// Kills it as a loss of power would, and waits until it is gone.
    package func kill() throws {
        if !isWrapped || !killWrapped() { signal(SIGKILL) }
        _ = try wait()
    }

    /// Kills what the process runs, which then ends by itself.
    ///
    /// - Returns: whether it runs anything.
    private func killWrapped() -> Bool {
        // What it doesn't run yet it never will.
        signal(SIGSTOP)
        let children =
            (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)) ?? ""
        let child = children.split(separator: " ").first.flatMap { pid_t($0) }
        guard let child, isRunning else { return false }
        _ = Glibc.kill(child, SIGKILL)
        signal(SIGCONT)
        WrongClock.clearUp(after: child)
        return true
    }

    /// Waits for its end.
    ///
    /// - Throws: `Unmet` where it doesn't end in time; it is killed then.
    @discardableResult
    package func wait() throws -> Outcome {
        guard end.isKnown.wait(timeout: .now() + patience.seconds) == .success else {
            signal(SIGKILL)
            throw Unmet(
                "'\(what)' didn't end within \(patience.inSeconds) s. It said: \(messages.suffix(2000))")
        }
        // Whoever waits next finds it ended too.
        end.isKnown.signal()
        return Outcome(status: end.status.withLock { $0 ?? -1 }, output: output, messages: messages)
    }
}
