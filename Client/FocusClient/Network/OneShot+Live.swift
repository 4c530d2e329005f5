import FocusNet
import Synchronization

extension OneShot {
    /// Runs an errand on a loop of its own over TLS, and waits for its end, `patience` at most.
    ///
    /// - Throws: `ErrandFailure`, or what keeps a loop from being made.
    static func wait(
        for errand: Errand, within patience: Duration, in context: CommandContext
    ) throws -> ErrandOutcome {
        let loop = try EventLoop()
        let answer = Answer()
        loop.run {
            let report: @Sendable (Result<ErrandOutcome, ErrandFailure>) -> Void = { result in
                answer.value.withLock { $0 = result }
                loop.stop()
            }
            do {
                let device = try Device(context)
                let shot = OneShot(
                    device, by: Credentials.approaching(device.home, on: loop), time: LoopTime(loop),
                    report: report)
                shot.run(errand, within: patience)
            } catch {
                report(.failure(ErrandFailure(error)))
            }
        }
        loop.wait()
        return try answer.value.withLock { try $0.get() }
    }

    /// Where the errand's thread leaves what came of it.
    private final class Answer: Sendable {
        let value = Mutex<Result<ErrandOutcome, ErrandFailure>>(.failure(.timedOut))
    }
}
