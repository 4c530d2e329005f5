package import FocusCore
import FocusFormats
import FocusText

extension CarriedHistory {
    /// How much a history is that is carried, for people.
    package struct Extent: Hashable, Sendable {
        /// The focus time.
        package let focus: Duration
        /// How many runs it comes from; what was added by hand or imported counts as one each.
        package let sessions: Int
        /// The day on which the first phase began, by the clocks of this place.
        package let first: Day

        /// So much of a history.
        package init(focus: Duration, sessions: Int, first: Day) {
            self.focus = focus
            self.sessions = sessions
            self.first = first
        }
    }

    /// How much it is; nil where it is empty.
    ///
    /// Cost: O(n log n) in the phases.
    package var extent: Extent? {
        guard let first = phases.map(\.startedAt).min() else { return nil }
        let calendar = LocalCalendar.here
        let runs = phases.map { $0.source.flatMap(PhasePart.init)?.phase.run ?? $0.run }
        let focus = Statistics(phases, calendar).days.reduce(.zero) { $0 + $1.total.focus }
        return Extent(focus: focus, sessions: Set(runs).count, first: calendar.day(of: first))
    }
}
