package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
package import FocusText

/// The requested part of a history, in numbers.
package struct StatsReport {
    /// The numbers.
    package let statistics: Statistics
    /// The days of the statistics.
    package let range: ClosedRange<Day>
    /// The name of the days' time zone at the instant of the report.
    package let zone: ZoneName
    /// Whether the range is the default one.
    package let isDefaultRange: Bool
    /// The choice of work.
    package let choice: WorkChoice
    /// The goals.
    package let goals: Goals
    /// The work of this week up to today.
    package let week: FocusTotal
    /// The average day of the range, and of the days before it.
    package let averages: AverageComparison
    /// The day on which the report was made.
    package let today: Day
    /// The streak, or nil if the statistics aren't of all work: the goal is for all work, with any label.
    package let streak: Streak?
    /// Whether the whole history is empty.
    package let isEmpty: Bool
    /// When the report was made, in shared time.
    private let now: SharedInstant

    /// The statistics of a laptop's history.
    ///
    /// - Parameter zone: The time zone of the days.
    /// - Throws: `CommandFailure` if the log can't be read, or the range ends before it begins.
    package init(_ request: StatsRequest, _ device: Device, by zone: Zone = .current) throws(CommandFailure) {
        let (records, settings, now) = try device.using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            let now = try device.now()
            return (History(journal, state, at: now).records, state.settings, now)
        }
        try self.init(request, records, settings, at: now, by: zone)
    }

    /// The statistics of a history's records, in its order.
    ///
    /// - Throws: `CommandFailure` if the range ends before it begins.
    package init(
        _ request: StatsRequest, _ records: [PhaseRecord], _ settings: Settings, at now: SharedInstant,
        by zone: Zone = .current
    ) throws(CommandFailure) {
        let calendar = zone.calendar
        today = calendar.day(of: now)
        let whole = Statistics(records, calendar, of: request.choice)
        range = try request.range.days(today: today, first: whole.days.first?.day)
        let near = DayTotals(records, calendar).records(around: range)
        statistics = Statistics(near, calendar, in: range, of: request.choice)
        self.zone = zone.name(at: now)
        isDefaultRange = request.range == .given(from: nil, to: nil)
        choice = request.choice
        goals = Goals(settings)
        week = whole.total(in: CalendarUnit.week.days(around: today).lowerBound...today)
        averages = AverageComparison(whole, in: range, without: goals.daysOff)
        streak = request.choice == .all ? Streak(whole, goals, today: today) : nil
        isEmpty = records.isEmpty
        self.now = now
    }

    /// The object that `focus stats --json` prints.
    package var document: JSON {
        StatisticsDocument.document(
            statistics, in: range, of: choice, goals: goals, averages: averages, streak: streak, in: zone,
            at: now)
    }
}

/// A request for statistics: the arguments of `stats`.
package struct StatsRequest: Hashable, Sendable {
    /// The days.
    package var range: StatsRange
    /// The choice of work.
    package var choice: WorkChoice
    /// Whether to print one JSON object.
    package var json: Bool

    /// A request for all work of the year up to today, for people, by default.
    package init(
        range: StatsRange = .given(from: nil, to: nil), choice: WorkChoice = .all, json: Bool = false
    ) {
        self.range = range
        self.choice = choice
        self.json = json
    }
}
