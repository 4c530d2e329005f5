package import FocusDevice
import FocusNet
import Synchronization

extension OneShot {
    /// Runs an errand on a loop of its own over TLS, and waits for its end.
    ///
    /// - Parameters:
    ///   - patience: how long it may take.
    ///   - open: opens the laptop's log, on the errand's thread.
    ///   - giving: by what somebody else may give it up.
    ///   - hear: is told what a person should know, where the errand fails too.
    /// - Throws: `ErrandFailure`, or what keeps a loop from being made.
    package static func wait(
        for errand: Errand, within patience: Duration, opening open: @escaping @Sendable () throws -> Device,
        giving: GivingUp? = nil, hear: ([SyncNotice]) -> Void = { _ in }
    ) throws -> ErrandOutcome {
        let loop = try EventLoop()
        let answer = Answer()
        let present = Present()
        loop.run {
            weak var running: OneShot?
            let report: (Result<ErrandOutcome, ErrandFailure>) -> Void = { result in
                let notices = running?.notices ?? []
                answer.value.withLock { $0 = (result, notices) }
                loop.stop()
            }
            do {
                let device = try open()
                let shot = OneShot(
                    device, by: Credentials.approaching(device, on: loop),
                    time: LoopTime(loop),
                    report: report)
                running = shot
                present.shot = shot
                shot.run(errand, within: patience)
            } catch {
                report(.failure(ErrandFailure(error)))
            }
        }
        // What comes from there comes after the errand has begun.
        giving?.listen { loop.run { present.shot?.giveUp() } }
        defer { giving?.listen(nil) }
        loop.wait()
        let (result, notices) = answer.value.withLock { $0 }
        hear(notices)
        return try result.get()
    }

    /// The errand that runs.
    private final class Present: @unchecked Sendable {
        // Unchecked: it is touched on the errand's loop alone.
        weak var shot: OneShot?
    }

    /// Where the errand's thread leaves what came of it.
    private final class Answer: Sendable {
        let value = Mutex<(Result<ErrandOutcome, ErrandFailure>, [SyncNotice])>((.failure(.timedOut), []))
    }
}

/// By what an errand that one thread waits for is given up from any other.
package final class GivingUp: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isGivenUp = false
        var act: (@Sendable () -> Void)?
    }

    /// Nothing is given up yet.
    package init() {}

    /// Gives the errand up, now or as soon as it begins. Where it is over, nothing happens.
    package func giveUp() {
        let act = state.withLock { state in
            state.isGivenUp = true
            return state.act
        }
        act?()
    }

    /// What gives up the errand that begins; nil once that is over.
    package func listen(_ act: (@Sendable () -> Void)?) {
        let isGivenUp = state.withLock { state in
            state.act = act
            return state.isGivenUp
        }
        if isGivenUp { act?() }
    }
}
