import Dispatch
import Foundation
import Glibc
import Synchronization
package import Testing

/// Has a test end within a time, whatever it and all others do.
///
/// Testing's own limit is looked at by the threads that all tests share. While others block those, nobody looks, and a
/// test that waits for its turn there may take any time and pass. With this one the test runs on a thread of its own,
/// and another looks at the clock.
///
/// A test that takes longer is cancelled, which ends what it awaits, and fails. One that doesn't even end then, as it
/// blocks its thread, ends the process, which names it.
package struct Ending: SuiteTrait, TestTrait, TestScoping {
    private let limit: Duration
    /// How long a test that was cancelled may take to end.
    private let grace: Duration

    package var isRecursive: Bool { true }

    init(within limit: Duration, grace: Duration) {
        self.limit = limit
        self.grace = grace
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite itself takes as long as its tests together.
        guard testCase != nil else { return try await function() }
        try await withoutActuallyEscaping(function) { function in
            let watch = Watch(of: "\(test.name) (\(test.sourceLocation))", limit, grace)
            let task = Task(executorPreference: ThreadExecutor()) {
                await Turns.all.take()
                watch.begin()
                let began = ContinuousClock.now
                let result = await Result { try await function() }
                // Here, as nobody knows when the threads that all tests share come to it.
                watch.end()
                Turns.all.giveBack()
                return (result: result, took: ContinuousClock.now - began)
            }
            watch.cancelling(by: { task.cancel() })
            let outcome = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if outcome.took > limit {
                Issue.record(
                    "this took \(outcome.took), and may take \(limit)", sourceLocation: test.sourceLocation)
            }
            try outcome.result.get()
        }
    }
}

extension Trait where Self == Ending {
    /// The test ends within so long, or fails.
    package static func ends(within limit: Duration, grace: Duration = .seconds(60)) -> Ending {
        Ending(within: limit, grace: grace)
    }
}

/// Looks at the clock for one test, on a thread of its own.
final class Watch: Sendable {
    private let test: String
    private let limit: Duration
    private let grace: Duration
    private let isOver = DispatchSemaphore(value: 0)
    private let cancel = Mutex<(@Sendable () -> Void)?>(nil)

    init(of test: String, _ limit: Duration, _ grace: Duration) {
        self.test = test
        self.limit = limit
        self.grace = grace
    }

    /// Says how the test is cancelled.
    func cancelling(by cancel: @escaping @Sendable () -> Void) { self.cancel.withLock { $0 = cancel } }

    func begin() {
        Thread.detachNewThread { [self] in
            guard isOver.wait(timeout: .now() + limit / .seconds(1)) == .timedOut else { return }
            cancel.withLock { $0 }?()
            guard isOver.wait(timeout: .now() + grace / .seconds(1)) == .timedOut else { return }
            // Nothing else ends a thread that is blocked.
            let message =
                "✘ Test \(test) has not ended within \(limit), nor \(grace) after it was cancelled\n"
            FileHandle.standardError.write(Data(message.utf8))
            _exit(EXIT_FAILURE)
        }
    }

    func end() { isOver.signal() }
}

/// Who runs on threads of their own: a few at a time, so that they leave each other room.
private final class Turns: Sendable {
    static let all = Turns()

    private struct State {
        var free = 2 * ProcessInfo.processInfo.activeProcessorCount
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for a turn, which counts against nobody's time.
    func take() async {
        await withCheckedContinuation { waiting in
            let isNow = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(waiting)
                    return false
                }
                state.free -= 1
                return true
            }
            if isNow { waiting.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
