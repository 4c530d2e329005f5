package import FocusCore
package import FocusText

/// What `log` is to show.
package struct LogRequest: Hashable, Sendable {
    /// Nil for all of it.
    package var range: StatsRange?
    /// Which work.
    package var choice: WorkChoice
    /// Whether it is shown as one JSON object.
    package var json: Bool

    /// All of the history, for people, unless something else is asked for.
    package init(range: StatsRange? = nil, choice: WorkChoice = .all, json: Bool = false) {
        self.range = range
        self.choice = choice
        self.json = json
    }
}

/// What `log add` is to add.
package struct PastRequest: Hashable, Sendable {
    /// When it was.
    package enum Time: Hashable, Sendable {
        /// From one time to another, or to now where that is nil.
        case between(TimeWord, TimeWord?)
        case from(TimeWord, Duration)
        /// So long up to a time, or to now where that is nil.
        case upTo(TimeWord?, Duration)
    }

    /// When it was.
    package var time: Time
    /// What it was for.
    package var activity: Activity
    /// What it was called; empty for work without a name.
    package var label: String

    /// Work without a name, unless something else is said.
    package init(_ time: Time, _ activity: Activity = .work, label: String = "") {
        self.time = time
        self.activity = activity
        self.label = label
    }
}

/// A word that names an instant.
package enum TimeWord: Hashable, Sendable {
    /// A time of today: so long after midnight by the clock.
    case today(Duration)
    case local(CivilTime)
    case instant(SharedInstant)
}
