/// A time for which a machine was suspended.
package struct Suspension: Hashable, Sendable {
    /// The last instant at which the machine is known to have been awake before.
    package let from: SharedInstant
    /// The earliest instant at which it can have woken.
    package let until: SharedInstant

    /// Creates a suspension, or returns nil if no event could have these instants, or if `until` is before
    /// `from`.
    package init?(from: SharedInstant, until: SharedInstant) {
        guard .zero <= from, from <= until, until < Stamp.timeLimit else { return nil }
        self.from = from
        self.until = until
    }

    /// The greatest length of a suspension that is ignored, because it doesn't show that the person was away.
    package static let longestIgnored = Duration.seconds(5 * 60)
    /// The time after falling asleep in which activity on other devices doesn't count. People close their
    /// laptops one after the other, and a server takes a minute to notice.
    package static let grace = Duration.seconds(2 * 60)

    /// Whether the suspension was long enough for a run during it to count as abandoned.
    package var isLong: Bool { until - from > Suspension.longestIgnored }

    /// Returns the action that keeps the time asleep from being counted, or nil if none was counted.
    ///
    /// It pauses work at the instant of falling asleep. A break goes on, because it is for being away. The
    /// work after the break then waits to be started, and so does work that was to begin meanwhile.
    ///
    /// - Parameter state: The state after replaying the log.
    package func pause(_ state: ReplayState) -> Action? {
        guard var run = state.current else { return nil }
        var ended = EndedPhases()
        var instant = max(from, run.anchor)
        guard case .open = run.advance(to: instant, state.settings, &ended) else { return nil }
        if case .running(let since, _) = run.clock, instant < since {
            instant = since
            guard case .open = run.advance(to: instant, state.settings, &ended) else { return nil }
        }
        if run.phase.activity.isBreak, case .running(_, let endsAt) = run.clock {
            instant = endsAt
            guard case .open = run.advance(to: instant, state.settings, &ended) else { return nil }
        }
        guard case .running = run.clock, instant < until else { return nil }
        return .pause(run.id, at: instant)
    }
}

/// The presses since a machine fell asleep, as far as its log shows.
package struct ActivitySinceSuspension: Hashable, Sendable {
    /// Whether another device has written anything but its name after the `grace`. If so, that device was in
    /// use.
    package private(set) var byOthers = false
    /// Whether this device has written anything but its name or an undo since it woke. If so, somebody has
    /// seen the timer run and left it running.
    package private(set) var here = false

    /// Finds the presses. Cost: linear in the events after the machine fell asleep.
    ///
    /// - Parameter own: All replicas under which this device has written.
    package init<Log: ReplayLog>(
        _ sleep: Suspension, in log: borrowing Log, own: Set<ReplicaID>
    ) throws(Log.Failure) {
        let before = Stamp(time: sleep.from, counter: .max)
            .map { Position(stamp: $0, replica: ReplicaID(rawValue: .max)) }
        var events = try log.events(after: before)
        while let event = try events.next() {
            if case .device = event.action { continue }
            // An undo on this device says nothing about the time asleep.
            if case .undo = event.action, own.contains(event.id.replica) { continue }
            if own.contains(event.id.replica) {
                here = here || event.time >= sleep.until
            } else {
                byOthers = byOthers || event.time > sleep.from + Suspension.grace
            }
        }
    }
}
