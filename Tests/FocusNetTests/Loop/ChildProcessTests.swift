import FocusNet
import Foundation
import TestTraits
import Testing

@Suite("Other programs that a loop starts", .ends(within: .seconds(60)))
final class ChildProcessTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit {
        loop.stop()
        loop.wait()
    }

    /// Runs a script to its end. `began` gets the process at once.
    private func end(
        of script: String, adding variables: [String: String] = [:],
        discarding: ChildProcess.DiscardedOutput = .none,
        began: @escaping @Sendable (ChildProcess) -> Void = { _ in }
    ) async throws -> ChildProcess.End {
        try await withCheckedThrowingContinuation { continuation in
            loop.run { [loop] in
                do {
                    began(
                        try ChildProcess(
                            ["sh", "-c", script], adding: variables, discarding: discarding,
                            on: loop
                        ) {
                            continuation.resume(returning: $0)
                        })
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    @Test("how one ended is told")
    func ends() async throws {
        #expect(try await end(of: "exit 0") == .exited(0))
        #expect(try await end(of: "exit 7") == .exited(7))
        #expect(try await end(of: "kill -9 $$") == .signalled(9))
    }

    @Test("it gets this process's environment and what is added, and nothing to read")
    func surroundings() async throws {
        let script = "test \"$ADDED\" = 'a=b c' && test -n \"$PATH\" && ! read line"
        #expect(try await end(of: script, adding: ["ADDED": "a=b c"]) == .exited(0))
    }

    @Test("its output goes to the place of this process's errors, unless it is discarded")
    func output() async throws {
        #expect(try await end(of: "test /proc/$$/fd/1 -ef /proc/$$/fd/2") == .exited(0))
        let script =
            "test \"$(readlink /proc/$$/fd/1)\" = /dev/null && test /proc/$$/fd/2 -ef /proc/$PPID/fd/2"
        #expect(try await end(of: script, discarding: .output) == .exited(0))
        let silence =
            "test \"$(readlink /proc/$$/fd/1)$(readlink /proc/$$/fd/2)\" = /dev/null/dev/null"
        #expect(try await end(of: silence, discarding: .all) == .exited(0))
    }

    @Test("a signal reaches what it has started, too")
    func signals() async throws {
        // The shell waits for its child. It would handle the signal only after the child's end.
        #expect(try await end(of: "sleep 60; exit 3") { $0.signal(15) } == .signalled(15))
    }

    @Test(
        "a program that isn't there is an error at once", arguments: ["/nowhere/program", "no-such-program"])
    func missing(program: String) async {
        await #expect(throws: NetError.self) {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                loop.run { [loop] in
                    do {
                        _ = try ChildProcess([program], on: loop) { _ in }
                        continuation.resume()
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        }
    }
}
