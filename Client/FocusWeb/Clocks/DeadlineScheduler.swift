package import FocusCore
package import FocusDevice

/// Alarms that go off when the browser calls after their time.
package final class DeadlineScheduler: Scheduler {
    private final class Call: Alarm {
        let instant: SteadyInstant
        private(set) var body: (() -> Void)?

        init(_ instant: SteadyInstant, _ body: @escaping () -> Void) {
            self.instant = instant
            self.body = body
        }

        func cancel() { body = nil }
    }

    private let clocks: BrowserClocks
    /// The calls in the order in which they were scheduled.
    private var calls: [Call] = []

    /// The most rounds of calls in one `runDue`. More are left for the browser's next call.
    private static let roundLimit = 100

    /// Alarms by these clocks.
    package init(_ clocks: BrowserClocks) { self.clocks = clocks }

    /// The steady clock's instant.
    package func now() -> SteadyInstant { clocks.steady }

    /// Calls `body` after `delay`, in `runDue`.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let call = Call(now() + max(.zero, delay), body)
        calls.append(call)
        return call
    }

    /// Makes all calls that are due, and then the due calls that these have scheduled.
    package func runDue() {
        for _ in 0..<DeadlineScheduler.roundLimit {
            let now = now()
            let due = calls.filter { $0.instant <= now }
            guard !due.isEmpty else { return }
            calls.removeAll { $0.instant <= now || $0.body == nil }
            for call in due { call.body?() }
        }
    }

    /// The time until the next call; nil if there is none.
    package var untilNext: Duration? {
        calls.lazy.filter { $0.body != nil }.map { $0.instant }.min().map { max(.zero, $0 - now()) }
    }

    /// Cancels all calls, because the device that scheduled them has ended.
    package func cancelAll() { calls = [] }
}
