import FocusNet
import Synchronization

extension OneShot {
    /// Runs an errand on a loop of its own over TLS, and waits for its end, `patience` at most.
    ///
    /// - Parameter hear: is told what a person should know, where the errand fails too.
    /// - Throws: `ErrandFailure`, or what keeps a loop from being made.
    static func wait(
        for errand: Errand, within patience: Duration, in context: CommandContext,
        hear: ([SyncNotice]) -> Void = { _ in }
    ) throws -> ErrandOutcome {
        let loop = try EventLoop()
        let answer = Answer()
        loop.run {
            weak var running: OneShot?
            let report: (Result<ErrandOutcome, ErrandFailure>) -> Void = { result in
                let notices = running?.notices ?? []
                answer.value.withLock { $0 = (result, notices) }
                loop.stop()
            }
            do {
                let device = try Device(context)
                let shot = OneShot(
                    device, by: Credentials.approaching(device.home, on: loop), time: LoopTime(loop),
                    report: report)
                running = shot
                shot.run(errand, within: patience)
            } catch {
                report(.failure(ErrandFailure(error)))
            }
        }
        loop.wait()
        let (result, notices) = answer.value.withLock { $0 }
        hear(notices)
        return try result.get()
    }

    /// Where the errand's thread leaves what came of it.
    private final class Answer: Sendable {
        let value = Mutex<(Result<ErrandOutcome, ErrandFailure>, [SyncNotice])>((.failure(.timedOut), []))
    }
}
