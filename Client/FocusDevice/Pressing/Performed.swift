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
