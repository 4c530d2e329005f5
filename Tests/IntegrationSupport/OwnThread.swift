import Dispatch
package import Testing

/// Runs tests that block, as they wait for processes, on a thread of their own: the threads that all other tests
/// share stay free.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// The test may block its thread.
    package static var onThreadOfItsOwn: OwnThread { OwnThread() }
}

/// Runs one job after the other, off the threads that tasks usually share.
private final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "integration test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
