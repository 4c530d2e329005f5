package import FocusCore
package import FocusDevice

/// Time that passes only when a test says so, also on the clocks of its `TestContext`.
package final class VirtualTime: Scheduler {
    private final class Waiting: Alarm {
        var due: SteadyInstant
        /// The function to call; nil once the alarm is cancelled, so that nothing is retained.
        private(set) var body: (() -> Void)?

        init(due: SteadyInstant, _ body: @escaping () -> Void) {
            self.due = due
            self.body = body
        }

        var isCancelled: Bool { body == nil }

        func cancel() { body = nil }
    }

    private let context: TestContext
    private var present = SteadyInstant.zero
    private var waiting: [Waiting] = []

    /// A clock that starts at zero and advances the clocks of `context` as well.
    package init(_ context: TestContext) { self.context = context }

    /// Returns the time since the clock started.
    package func now() -> SteadyInstant { present }

    /// Calls `body` once `delay` has passed.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let alarm = Waiting(due: present + max(.zero, delay), body)
        waiting.append(alarm)
        return alarm
    }

    /// The number of alarms that are set.
    package var alarms: Int { waiting.count { !$0.isCancelled } }

    /// Advances the clocks by `time` and calls the alarms that become due, in order.
    ///
    /// - Returns: The number of calls.
    @discardableResult
    package func pass(_ time: Duration) -> Int {
        let end = present + time
        var calls = 0
        while let next = waiting.filter({ !$0.isCancelled && $0.due <= end }).min(by: { $0.due < $1.due }) {
            waiting.removeAll { $0 === next || $0.isCancelled }
            go(to: next.due)
            next.body?()
            calls += 1
        }
        go(to: end)
        return calls
    }

    /// Makes the machine sleep for `time`. Alarms count only the time for which it is awake.
    package func doze(_ time: Duration) {
        context.doze(time)
        present += time
        for alarm in waiting { alarm.due += time }
    }

    /// Ends the turn: calls the alarms that are due now.
    package func endTurn() { pass(.zero) }

    private func go(to instant: SteadyInstant) {
        context.pass(instant - present)
        present = instant
    }
}
