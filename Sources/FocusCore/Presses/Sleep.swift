/// A stretch of time that a machine has slept through.
package struct Sleep: Hashable, Sendable {
    /// When the machine was last seen awake before.
    package let from: SharedInstant
    /// When it woke, at the earliest.
    package let until: SharedInstant

    /// Nil where no event could bear these instants, or the machine would wake before it fell asleep.
    package init?(from: SharedInstant, until: SharedInstant) {
        guard .zero <= from, from <= until, until < Stamp.timeLimit else { return nil }
        self.from = from
        self.until = until
    }

    /// A shorter sleep says nothing about who was there.
    package static let shortest = Duration.seconds(5 * 60)
    /// Whoever was there for no longer than this after the machine fell asleep left together with it: lids are closed
    /// one after the other, and a server takes a minute to notice.
    package static let grace = Duration.seconds(2 * 60)

    /// Whether it lasted so long that a session in it was left alone.
    package var isLong: Bool { until - from > Sleep.shortest }

    /// What keeps the time asleep from being counted; nil where none of it was.
    ///
    /// Work is paused as of when the machine fell asleep. A break goes on, as it is there to be away: what comes after
    /// it waits to be started.
    ///
    /// - Parameter state: what the log comes to.
    package func pause(_ state: ReplayState) -> Action? {
        guard var run = state.current else { return nil }
        var ended = EndedPhases()
        var instant = max(from, run.anchor)
        guard case .open = run.advance(to: instant, state.settings, &ended) else { return nil }
        if run.phase.activity.isBreak, case .running(_, let endsAt) = run.clock {
            instant = endsAt
            guard case .open = run.advance(to: instant, state.settings, &ended) else { return nil }
        }
        guard case .running = run.clock, instant < until else { return nil }
        return .pause(run.id, at: instant)
    }
}

/// Who pressed anything since a machine fell asleep, as far as its log says.
package struct PressesSince: Hashable, Sendable {
    /// Whether another device has: then it was in use.
    package private(set) var byOthers = false
    /// Whether somebody has on this device, since it woke: then the timer was seen to run, and was left so.
    package private(set) var here = false

    /// Cost: linear in the events after the machine fell asleep.
    ///
    /// - Parameter own: All replicas that this device has been.
    package init<Log: ReplayLog>(
        _ sleep: Sleep, in log: borrowing Log, own: Set<ReplicaID>
    ) throws(Log.Failure) {
        let before = Stamp(time: sleep.from, counter: .max)
            .map { Position(stamp: $0, replica: ReplicaID(rawValue: .max)) }
        var events = try log.events(after: before)
        while let event = try events.next() {
            if case .device = event.action { continue }
            // What takes something back says nothing of the time asleep.
            if case .undo = event.action, own.contains(event.id.replica) { continue }
            if own.contains(event.id.replica) {
                here = here || event.time >= sleep.until
            } else {
                byOthers = byOthers || event.time > sleep.from + Sleep.grace
            }
        }
    }
}
