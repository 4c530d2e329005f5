import Dispatch
import FocusCore
import Foundation
package import Glibc
import Synchronization

/// The result of a program that has ended.
package struct Outcome {
    /// The exit status, or 128 plus the signal's number if a signal ended the program.
    package let status: Int32
    /// The text on standard output (`output`) and on standard error (`messages`).
    package let output: String
    package let messages: String

    /// The last line of the output, such as an invite.
    package var lastLine: String { output.split(separator: "\n").last.map(String.init) ?? "" }
}

/// A started program. It is killed at the latest when this object is released.
package final class RunningProgram: Sendable {
    package let process: pid_t
    private let what: String
    /// Whether `process` is a wrapper that stays and runs the program as its child (`WrongClock.wrapper`).
    private let isWrapped: Bool
    private let outputFile: String
    private let messagesFile: String
    private let end = End()

    /// The exit status of a program. A thread waits for it and records it.
    private final class End: Sendable {
        let status = Mutex<Int32?>(nil)
        let isKnown = DispatchSemaphore(value: 0)

        func wait(for process: pid_t) {
            var info = siginfo_t()
            // The process stays a zombie until the lock is held. So nobody can signal another process that
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

    /// Whether the program hasn't ended.
    package var isRunning: Bool { end.status.withLock { $0 == nil } }

    /// The text on standard output so far.
    package var output: String { contents(outputFile) }

    /// The text on standard error so far.
    package var messages: String { contents(messagesFile) }

    private func contents(_ file: String) -> String {
        String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data(), as: UTF8.self)
    }

    /// Sends the program a signal, unless it has ended.
    package func signal(_ signal: Int32) {
        end.status.withLock { if $0 == nil { _ = Glibc.kill(process, signal) } }
    }

    /// Kills the program, as a power loss would, and waits until it has ended.
    package func kill() throws {
        if !isWrapped || !killWrapped() { signal(SIGKILL) }
        _ = try wait()
    }

    /// Kills the wrapper's child. The wrapper then ends by itself.
    ///
    /// - Returns: Whether there was a child.
    private func killWrapped() -> Bool {
        // A stopped wrapper can't start its child any more.
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

    /// Waits until the program ends.
    ///
    /// - Throws: `Unmet` if it doesn't end in time. Then it is killed.
    @discardableResult
    package func wait() throws -> Outcome {
        guard end.isKnown.wait(timeout: .now() + patience.seconds) == .success else {
            signal(SIGKILL)
            throw Unmet(
                "'\(what)' didn't end within \(patience.inSeconds) s. It said: \(messages.suffix(2000))")
        }
        // Other calls of `wait` return too.
        end.isKnown.signal()
        return Outcome(status: end.status.withLock { $0 ?? -1 }, output: output, messages: messages)
    }
}
