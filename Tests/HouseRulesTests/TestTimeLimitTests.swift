import Dispatch
import Testing

@testable import TestTraits

/// Tests of the trait that limits a test's time.
@Suite("Tests that go on for too long")
struct TestTimeLimitTests {
    @Test("one that blocks its thread for longer than it may fails, and so does one that waits for ever")
    func overlong() async throws {
        let bodies: [@concurrent @Sendable () async throws -> Void] = [
            { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2) },
            { for await _ in AsyncStream<Int>(Int.self, { _ in }) {} },
        ]
        for body in bodies {
            try await withKnownIssue {
                let test = try #require(Test.current)
                try await TestTimeLimit(within: .milliseconds(50), grace: .seconds(60))
                    .provideScope(for: test, testCase: Test.Case.current, performing: body)
            } matching: {
                "\($0)".contains("this took")
            }
        }
    }

    @Test("one that doesn't end when it is cancelled ends the process, which names it") func blocked()
        async throws
    {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let watchdog = TimeLimitWatchdog(
                of: "a test that is blocked", .milliseconds(50), .milliseconds(50))
            watchdog.begin()
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 60)
        }
        let said = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(said.contains("a test that is blocked has not ended within"))
    }
}
