package import Testing

/// Runs blocking tests on a thread of their own, so that they don't block the threads that all other tests
/// share.
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
