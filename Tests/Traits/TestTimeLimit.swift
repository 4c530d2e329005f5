import Dispatch
import Foundation
import Glibc
import Synchronization
package import Testing

/// A time limit of a test, which holds even if other tests block the threads that all tests share.
///
/// Testing's own limit is checked on those shared threads. While they are blocked, nobody checks it, and a
/// test that waits for a thread may pass after any time. This trait runs the test on a thread of its own, and
/// another thread checks the time.
///
/// A test that takes longer is cancelled, which ends the calls that it awaits, and fails. If it blocks its
/// thread and doesn't end even then, the process ends with a message that names the test.
package struct TestTimeLimit: SuiteTrait, TestTrait, TestScoping {
    private let limit: Duration
    /// The time that a cancelled test may take to end.
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
        // A suite itself has no limit: it takes as long as all its tests together.
        guard testCase != nil else { return try await function() }
        try await withoutActuallyEscaping(function) { function in
            let watchdog = TimeLimitWatchdog(of: "\(test.name) (\(test.sourceLocation))", limit, grace)
            let task = Task(executorPreference: ThreadExecutor()) {
                await TestSlots.all.acquire()
                // Taken first, so that a test that the watchdog cancels has always taken longer than the limit.
                let began = ContinuousClock.now
                watchdog.begin()
                let result = await Result { try await function() }
                // Called inside the task, because the shared threads may resume the code after `task.value`
                // much later.
                watchdog.end()
                TestSlots.all.release()
                return (result: result, took: ContinuousClock.now - began)
            }
            watchdog.setCancellation { task.cancel() }
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

extension Trait where Self == TestTimeLimit {
    /// The test fails if it takes longer than `limit`. It gets `grace` to end after it was cancelled.
    package static func ends(within limit: Duration, grace: Duration = .seconds(60)) -> TestTimeLimit {
        TestTimeLimit(within: limit, grace: grace)
    }
}

/// Watches the time of one test on a thread of its own.
final class TimeLimitWatchdog: Sendable {
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

    /// Sets the function that cancels the test.
    func setCancellation(_ cancel: @escaping @Sendable () -> Void) { self.cancel.withLock { $0 = cancel } }

    func begin() {
        Thread.detachNewThread { [self] in
            guard isOver.wait(timeout: .now() + limit / .seconds(1)) == .timedOut else { return }
            cancel.withLock { $0 }?()
            guard isOver.wait(timeout: .now() + grace / .seconds(1)) == .timedOut else { return }
            // Nothing else can end a blocked thread.
            let message =
                "✘ Test \(test) has not ended within \(limit), nor \(grace) after it was cancelled\n"
            FileHandle.standardError.write(Data(message.utf8))
            _exit(EXIT_FAILURE)
        }
    }

    func end() { isOver.signal() }
}

/// Limits the number of tests that run on threads of their own at the same time.
private final class TestSlots: Sendable {
    static let all = TestSlots()

    private struct State {
        var free = 2 * ProcessInfo.processInfo.activeProcessorCount
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for a free slot. The wait isn't part of the test's limit.
    func acquire() async {
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

    func release() {
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
