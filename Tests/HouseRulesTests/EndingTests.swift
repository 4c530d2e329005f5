import Dispatch
import Foundation
import Testing

@testable import TestTraits

/// Tests of the trait that ends tests.
@Suite("Tests that go on for too long")
struct EndingTests {
    private static let short = Duration.milliseconds(50)

    /// Runs `body` as a test with a very short limit, and with `grace` to end after it is cancelled.
    private func run(
        grace: Duration = .seconds(60), _ body: @concurrent @escaping @Sendable () async throws -> Void
    ) async throws {
        let test = try #require(Test.current)
        try await Ending(within: EndingTests.short, grace: grace)
            .provideScope(for: test, testCase: Test.Case.current, performing: body)
    }

    @Test("one that ends in time passes") func inTime() async throws {
        try await Ending(within: .seconds(60), grace: .seconds(60))
            .provideScope(for: #require(Test.current), testCase: Test.Case.current) {}
    }

    @Test("one that blocks its thread for longer than it may fails, though it ends") func overlong()
        async throws
    {
        try await withKnownIssue {
            try await run { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2) }
        } matching: {
            "\($0)".contains("this took")
        }
    }

    @Test("one that waits for ever is cancelled, and fails") func waiting() async throws {
        try await withKnownIssue {
            try await run { for await _ in AsyncStream<Int>(Int.self, { _ in }) {} }
        } matching: {
            "\($0)".contains("this took")
        }
    }

    @Test("what a test throws is thrown") func throwing() async {
        await #expect(throws: CancellationError.self) {
            try await Ending(within: .seconds(60), grace: .seconds(60))
                .provideScope(for: #require(Test.current), testCase: Test.Case.current) {
                    throw CancellationError()
                }
        }
    }

    @Test("one that doesn't end when it is cancelled ends the process, which names it") func blocked()
        async throws
    {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let watch = Watch(of: "a test that is blocked", .milliseconds(50), .milliseconds(50))
            watch.begin()
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 60)
        }
        let said = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(said.contains("a test that is blocked has not ended within"))
    }
}
