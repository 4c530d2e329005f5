package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
package import FocusText
import FocusWords

/// As much of a history as was asked for, in numbers.
package struct StatsReport {
    /// The numbers.
    package let statistics: Statistics
    /// The days that the statistics are of.
    package let range: ClosedRange<Day>
    /// In which the days are, now.
    package let zone: ZoneName
    /// Whether nobody asked for a range.
    package let isUsual: Bool
    /// Which work they are of.
    package let choice: WorkChoice
    /// So many completed work phases a day; 0 is no goal.
    package let goal: Int64
    /// The day that it was looked at.
    package let today: Day
    /// Nil where the statistics aren't of all work: a goal is one for that, whatever its label.
    package let streak: Streak?
    /// Whether there is nothing in the whole history.
    package let isEmpty: Bool
    /// When it was looked at.
    private let now: SharedInstant

    /// The statistics of a laptop's history.
    ///
    /// - Parameter zone: whose days they are of.
    /// - Throws: where the log can't be read, or the days end before they begin.
    package init(_ request: StatsRequest, _ device: Device, by zone: Zone = .here) throws(CommandFailure) {
        let (records, settings, now) = try device.using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            let now = try device.now()
            return (History(journal, state, at: now).records, state.settings, now)
        }
        try self.init(request, records, settings, at: now, by: zone)
    }

    /// - Throws: where the days end before they begin.
    package init(
        _ request: StatsRequest, _ records: [PhaseRecord], _ settings: Settings, at now: SharedInstant,
        by zone: Zone = .here
    ) throws(CommandFailure) {
        let calendar = zone.calendar
        today = calendar.day(of: now)
        let whole = Statistics(records, calendar, of: request.choice)
        range = try request.range.days(today: today, first: whole.days.first?.day)
        statistics = Statistics(records, calendar, in: range, of: request.choice)
        self.zone = zone.name(at: now)
        isUsual = request.range == .given(from: nil, to: nil)
        choice = request.choice
        goal = settings[.dailyGoal]
        streak = request.choice == .all ? Streak(whole, goal: goal, today: today) : nil
        isEmpty = records.isEmpty
        self.now = now
    }

    /// What `focus stats --json` prints.
    package var document: JSON {
        StatisticsDocument.document(
            statistics, in: range, of: choice, goal: goal, streak: streak, in: zone, at: now)
    }
}
