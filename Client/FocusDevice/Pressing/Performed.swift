package import FocusCore
package import FocusStore

/// What came of an interaction.
package struct Performed: Sendable {
    /// When a press that was said to have happened a while ago took effect.
    package struct Backdating: Hashable, Sendable {
        /// What kept it from reaching back as far as asked.
        package enum Obstacle: Hashable, Sendable {
            /// A start reaches back one work phase at most.
            case workLength
            /// Something that took effect later, on this laptop or on the one of that name; `isAside` where it acts on a
            /// session that isn't everyone's.
            case press(Action, on: String?, isAside: Bool)
            /// A session ended by itself later.
            case ending
        }

        /// The instant it takes effect.
        package let effective: SharedInstant
        /// Nil where that is the instant asked for.
        package let obstacle: Obstacle?
    }

    /// What the log comes to now.
    package let state: ReplayState
    /// The settings as they were.
    package let settingsBefore: Settings
    /// What was written. Empty where a setting had the value already.
    package let events: [Event]
    /// The instant of the press in shared time.
    package let now: SharedInstant
    /// Where it was said to have happened a while ago.
    package let backdating: Backdating?
    /// The event that an undo or a redo took back.
    package let tookBack: Event?
    /// The entries that the history had already at the time of one that was added, by when they ended.
    package let overlaps: [PhaseRecord]
    /// What was done first about time that the machine had slept through.
    package let woken: [Waking.Deed]

    /// What the timer shows now.
    package var shown: ShownTimer { ShownTimer(TimerState(state, at: now)) }
}

/// Why an interaction wasn't carried out. Nothing was changed.
package enum PerformFailure: Error, Hashable, Sendable {
    case notNow(NotNow)
    /// At the instant it would have taken effect it would have changed nothing.
    case noEffect
    /// It can't take effect as long ago as was asked, but then.
    case fallsShort(Performed.Backdating, now: SharedInstant)
    /// Taking the event back is to be asked about first.
    case claims(UndoClaim)
    /// The name or label has nothing in it that shows.
    case emptyName
    /// The history has such an entry already, by its times and activity: this one, with as much of its handle as is
    /// shown.
    case alreadyThere(PhaseRecord, handle: String)
    case store(StoreError)
}

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
