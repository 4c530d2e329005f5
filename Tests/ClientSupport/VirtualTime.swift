package import FocusCore
package import FocusDevice

/// Time that passes where a test says so, on the clocks of its `TestContext` too.
package final class VirtualTime: Timekeeper {
    private final class Waiting: Alarm {
        var due: SteadyInstant
        /// What is called; nil once nobody is to be, so that it holds nobody either.
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

    /// Time that begins at zero, whatever the clocks show.
    package init(_ context: TestContext) { self.context = context }

    /// What has passed since it began.
    package func now() -> SteadyInstant { present }

    /// Calls `body` once so much has passed.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let alarm = Waiting(due: present + max(.zero, delay), body)
        waiting.append(alarm)
        return alarm
    }

    /// How many alarms are set.
    package var alarms: Int { waiting.count { !$0.isCancelled } }

    /// Lets time pass, and calls whoever waits as their time comes; gives how often somebody was called.
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

    /// The machine sleeps for so long: alarms count only what it is awake for.
    package func doze(_ time: Duration) {
        context.doze(time)
        present += time
        for alarm in waiting { alarm.due += time }
    }

    /// Ends the turn: whoever is to be called at once is called.
    package func endTurn() { pass(.zero) }

    private func go(to instant: SteadyInstant) {
        context.pass(instant - present)
        present = instant
    }
}
