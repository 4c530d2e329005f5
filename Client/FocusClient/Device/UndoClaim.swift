package import FocusCore

/// What taking an event back would add to the history beyond the phase that was in progress then: the undo of
/// a stop of hours ago counts those hours (docs/timer-rules.md §5).
package struct UndoClaim: Hashable, Sendable {
    /// The event that would be taken back.
    package let target: Event
    /// How many phases would be added.
    package let phases: Int
    /// How much focus time would be added, in milliseconds.
    package let focus: Int64
    /// The instant of the undo, in milliseconds since the Unix epoch.
    package let now: Int64

    /// What the undo of `target` adds, where `before` became `after`; nil where that is no more than the
    /// phase then in progress.
    init?(_ target: Event, before: History, after: History, now: Int64) {
        let known = Set(before.records.map(\.name))
        phases = after.records.count { $0.startedAt > target.time && !known.contains($0.name) }
        guard phases > 0 else { return nil }
        let ever = Interval(from: .min, to: .max)
        focus = after.focusMilliseconds(in: ever) - before.focusMilliseconds(in: ever)
        self.target = target
        self.now = now
    }
}

/// Whether an undo that claims time may be carried out.
package enum UndoConsent: Hashable, Sendable {
    /// Not without asking: `perform` throws `PerformFailure.claims`.
    case toBeAsked
    /// The person said yes for this event, and for no other that has been pressed meanwhile.
    case given(EventID)
    /// The person said beforehand that it may.
    case always
}
