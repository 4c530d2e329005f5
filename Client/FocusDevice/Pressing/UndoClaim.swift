package import FocusCore

/// Why an undo has to be asked about first (docs/timer-rules.md §5): it would add to the history beyond the phase that
/// was in progress then, as that of a stop of hours ago counts those hours; or take completed phases out of it; or it is
/// of what was pressed on another laptop a moment ago.
package struct UndoClaim: Hashable, Sendable {
    /// The event that would be taken back.
    package let target: Event
    /// How many phases would be added.
    package let added: Int
    /// How many completed phases would leave.
    package let lost: Int
    /// How much focus time would be added, or leave where it is negative.
    package let focus: Duration
    /// The laptop on which the event was pressed a moment ago, where that is another.
    package let presser: String?
    /// The instant of the undo.
    package let now: SharedInstant

    /// What others pressed so short a time ago may not be what the person means.
    private static let moment = Duration.seconds(10)

    /// What the undo of `target` does, where `before` became `after`, histories that are nil where neither can differ by
    /// whole phases; nil where there is nothing to ask about.
    ///
    /// - Parameter presser: The name of the laptop where it was pressed; nil where that is this one.
    init?(
        _ target: Event, before: History?, after: History?, pressedOn presser: String?, now: SharedInstant
    ) {
        var (added, lost, focus) = (0, 0, Duration.zero)
        if let before, let after {
            let (known, left) = (Set(before.records.map(\.name)), Set(after.records.map(\.name)))
            added = after.records.count { $0.startedAt > target.time && !known.contains($0.name) }
            // An entry that was added by hand is what would be taken back, and no phase that somebody saw run.
            lost = before.records.count {
                $0.source == nil && $0.outcome == .completed && !left.contains($0.name)
            }
            let ever = Interval(from: .distantPast, to: .distantFuture)
            focus = after.focus(in: ever) - before.focus(in: ever)
        }
        // No phase that somebody saw run goes or comes with a correction.
        switch target.action {
        case .amend, .retime, .split: lost = 0
        default: break
        }
        let isRecent = now - target.time < UndoClaim.moment
        guard added > 0 || lost > 0 || (presser != nil && isRecent) else { return nil }
        self.target = target
        self.added = added
        self.lost = lost
        self.focus = focus
        self.presser = isRecent ? presser : nil
        self.now = now
    }
}

/// Whether an undo that has to be asked about may be carried out.
package enum UndoConsent: Hashable, Sendable {
    /// Not without asking: `perform` throws `PerformFailure.claims`.
    case toBeAsked
    /// The person said yes for this event, and for no other that has been pressed meanwhile.
    case given(EventID)
    /// The person said beforehand that it may.
    case always
}
