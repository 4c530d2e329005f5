package import FocusCore
package import FocusStore

/// What came of an interaction.
package struct Performed: Sendable {
    /// When a press that was said to have happened a while ago took effect.
    package struct Backdating: Hashable, Sendable {
        /// The instant asked for, in milliseconds since the Unix epoch.
        package let asked: Int64
        /// The instant it takes effect: later where something else was pressed after the one asked for, or
        /// where a start would have reached back further than one work length.
        package let effective: Int64

        /// Whether it couldn't reach back as far as asked.
        package var isCutShort: Bool { effective > asked }
    }

    /// What the log comes to now.
    package let state: ReplayState
    /// The settings as they were.
    package let settingsBefore: Settings
    /// What was written. Empty where a setting had the value already.
    package let events: [Event]
    /// The instant of the press in shared time, milliseconds since the Unix epoch.
    package let now: Int64
    /// Where it was said to have happened a while ago.
    package let backdating: Backdating?
    /// The event that an undo or a redo took back.
    package let tookBack: Event?
}

/// Why an interaction wasn't carried out. Nothing was changed.
package enum PerformFailure: Error, Hashable, Sendable {
    case notNow(NotNow)
    /// At the instant it would have taken effect it would have changed nothing.
    case noEffect
    /// Taking the event back is to be asked about first.
    case claims(UndoClaim)
    /// The name or label has nothing in it that shows.
    case emptyName
    case store(StoreError)
}
