package import FocusCore
package import FocusStore

/// The result of an interaction.
package struct InteractionResult: Sendable {
    /// The time at which a backdated press took effect.
    package struct Backdating: Hashable, Sendable {
        /// The reason why the press couldn't reach back as far as was asked.
        package enum Obstacle: Hashable, Sendable {
            /// A start reaches back by at most one work phase.
            case workLength
            /// A completion or a break reaches back to the beginning of its phase at most.
            case phase
            /// An action that took effect after the time that was asked for. It was pressed on the laptop of
            /// this name, or on this one if nil. `isAside` means that it acts on a side run.
            case press(Action, on: String?, isAside: Bool)
            /// A session that ended by itself after the time that was asked for.
            case ending
        }

        /// The instant that was asked for.
        package let asked: SharedInstant
        /// The instant at which it takes effect.
        package let effective: SharedInstant
        /// The obstacle, or nil if it takes effect at the instant that was asked for.
        package let obstacle: Obstacle?
    }

    /// The entries of the history that overlap with an entry that was added or got other times.
    package struct Overlap: Sendable {
        /// The first of these entries, in the history's order.
        package let first: PhaseRecord
        /// The handle of `first` as it is shown.
        package let handle: String
        /// The number of these entries.
        package let count: Int
        /// Whether the added or moved entry and one of these are both work, so that focus time is in both.
        package let sharesFocusTime: Bool
    }

    /// The state of the log after the interaction.
    package let state: ReplayState
    /// The settings before the interaction.
    package let settingsBefore: Settings
    /// The events that were written. Empty if a setting had the value already.
    package let events: [Event]
    /// The instant of the press, in shared time.
    package let now: SharedInstant
    /// The effective time, or nil if the press wasn't backdated.
    package let backdating: Backdating?
    /// The event that an undo or a redo took back; nil for other interactions.
    package let undoneEvent: Event?
    /// The overlap of the entry that was added or got other times with others; nil if there is none.
    package let overlap: Overlap?
    /// The device's own actions before the interaction, because of a suspension of the machine.
    package let suspensionDeeds: [SuspensionHandling.Deed]

    /// The timer as it is shown now.
    package var shown: ShownTimer { ShownTimer(TimerState(state, at: now)) }
}

/// The consequences of a backdated press that the person accepts. Each is a question of its own.
package struct BackdatingConsent: OptionSet, Hashable, Sendable {
    /// A bit for each consequence.
    package let rawValue: UInt8

    /// Creates a consent from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It takes effect as far back as it can, if it can't reach back as far as was asked.
    package static let shortReach = BackdatingConsent(rawValue: 1)
    /// It takes completed work of a session that has ended by itself out of the history.
    package static let lostWork = BackdatingConsent(rawValue: 2)
    /// Every consequence.
    package static let all: BackdatingConsent = [.shortReach, .lostWork]
}

/// The reason why an interaction wasn't carried out. Nothing was changed.
package enum PerformFailure: Error, Hashable, Sendable {
    case notNow(InteractionError)
    /// It would change nothing. A backdated press is judged at the instant at which it would take effect.
    case noEffect
    /// It can't reach back as far as was asked, only to the given instant.
    case tooFarBack(InteractionResult.Backdating, now: SharedInstant)
    /// The session had ended by itself. To stop or pause it this long ago takes this number of completed work
    /// phases out of the history.
    case takesCompleted(phases: Int, ago: Duration)
    /// The person has to be asked before the event is taken back.
    case needsConsent(UndoWarning)
    /// The name or label has no visible characters.
    case emptyName
    /// The history already has this entry, by its times and activity. `handle` is the entry's handle as it is
    /// shown.
    case duplicate(PhaseRecord, handle: String)
    case store(StoreError)
}

extension PerformFailure: ExpressibleByStoreError {
    /// The failure because of an error of the log.
    package init(_ error: StoreError) { self = .store(error) }
}

/// The reason why a person has to be asked before an undo (docs/timer-rules.md §5).
///
/// There are four reasons, and more than one may apply:
/// - The undo would add phases that begin after the undone event, for example if that is an old stop.
/// - It would remove completed phases.
/// - It would take back a press made on another laptop a moment ago.
/// - It would take back the press before an answer that time away stays counted. That answer wrote nothing.
package struct UndoWarning: Hashable, Sendable {
    /// The event to take back.
    package let target: Event
    /// The number of phases that would be added.
    package let added: Int
    /// The number of completed phases that would be removed.
    package let removed: Int
    /// The change of the focus time; negative if it would become less.
    package let focusChange: Duration
    /// The other laptop on which the event was pressed a moment ago, or nil if there is none.
    package let presser: String?
    /// Whether it was the last press when the person answered that time away stays counted.
    package let isAfterKeeping: Bool
    /// The instant of the undo.
    package let now: SharedInstant

    /// A press of another laptop is recent for this time. The person may not know it yet, and mean an earlier
    /// press.
    private static let recentTime = Duration.seconds(10)

    /// The warning about an undo of `target`, or nil if there is nothing to ask about.
    ///
    /// - Parameters:
    ///   - before: The history without the undo, or nil if the undo can't change it by whole phases.
    ///   - after: The history with the undo, or nil if the undo can't change it by whole phases.
    ///   - presser: The name of the laptop on which `target` was pressed, or nil if that is this one.
    ///   - isAfterKeeping: Whether `target` is the last press before an answer that wrote nothing.
    init?(
        _ target: Event, before: History?, after: History?, pressedOn presser: String?, isAfterKeeping: Bool,
        now: SharedInstant
    ) {
        var (added, removed, focusChange) = (0, 0, Duration.zero)
        if let before, let after {
            let (known, left) = (Set(before.records.map { $0.name }), Set(after.records.map { $0.name }))
            added = after.records.count { $0.startedAt > target.time && !known.contains($0.name) }
            // A record with a source was added by hand or imported. Its removal takes back no phase that ran.
            removed = before.records.count {
                $0.source == nil && $0.outcome == .completed && !left.contains($0.name)
            }
            let ever = Interval(from: .distantPast, to: .distantFuture)
            focusChange = after.focus(in: ever) - before.focus(in: ever)
        }
        // The undo of a correction may remove a record, such as a part of a split entry. But it takes back no
        // phase that ran.
        switch target.action {
        case .amend, .retime, .split: removed = 0
        default: break
        }
        let isRecent = now - target.time < UndoWarning.recentTime
        guard added > 0 || removed > 0 || (presser != nil && isRecent) || isAfterKeeping else {
            return nil
        }
        self.target = target
        self.added = added
        self.removed = removed
        self.focusChange = focusChange
        self.presser = isRecent ? presser : nil
        self.isAfterKeeping = isAfterKeeping
        self.now = now
    }
}

/// Whether an undo that has to be asked about may be carried out.
package enum UndoConsent: Hashable, Sendable {
    /// It may not: `perform` throws `PerformFailure.needsConsent`.
    case toBeAsked
    /// The control that was pressed names the event, so another laptop's recent press isn't asked about.
    /// Changes of whole phases still are.
    case named
    /// The person agreed to undo this event. If another event would be undone by now, the consent doesn't hold.
    case given(EventID)
    /// The person agreed beforehand.
    case always
}
