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
    /// The goal in completed work phases a day; 0 means no goal.
    package let goal: Int64
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

    /// The statistics of records.
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
        statistics = Statistics(records, calendar, in: range, of: request.choice)
        self.zone = zone.name(at: now)
        isDefaultRange = request.range == .given(from: nil, to: nil)
        choice = request.choice
        goal = settings[.dailyGoal]
        streak = request.choice == .all ? Streak(whole, goal: goal, today: today) : nil
        isEmpty = records.isEmpty
        self.now = now
    }

    /// The object that `focus stats --json` prints.
    package var document: JSON {
        StatisticsDocument.document(
            statistics, in: range, of: choice, goal: goal, streak: streak, in: zone, at: now)
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

/// A range of days that a person asks for.
package enum StatsRange: Hashable, Sendable {
    /// The week, month or year around today, up to today.
    case present(CalendarUnit)
    /// From and up to these days: by default from the first day with an entry, and up to today. If neither is
    /// given, the year up to today.
    case given(from: DayWord?, to: DayWord?)

    /// Returns the days of the range.
    ///
    /// - Parameter first: The first day with an entry, or nil if there is none.
    /// - Throws: `CommandFailure` if the range ends before it begins.
    func days(today: Day, first: Day?) throws(CommandFailure) -> ClosedRange<Day> {
        switch self {
        case .present(let unit):
            return unit.days(around: today).lowerBound...today
        case .given(nil, nil):
            return Heatmap.range(weeks: Heatmap.weeksOfYear, upTo: today)
        case .given(let from, let to):
            let end = to?.days(today: today).upperBound ?? today
            let start = from?.days(today: today).lowerBound ?? min(first ?? end, end)
            guard start <= end else {
                throw CommandFailure("The range begins on \(start), after its end on \(end).", .usage)
            }
            return start...end
        }
    }
}

/// A word that names days.
package enum DayWord: Hashable, Sendable {
    case today
    case yesterday
    case days(ClosedRange<Day>)

    fileprivate func days(today: Day) -> ClosedRange<Day> {
        switch self {
        case .today: return today...today
        case .yesterday:
            let day = today.advanced(by: -1)
            return day...day
        case .days(let days): return days
        }
    }
}

extension DayWord {
    /// The sentence about how to write a day.
    package static let rule = "A day is written today, yesterday, \(DaysText.rule)."

    /// The days that a word names, or nil if it names none.
    package init?(_ word: String) {
        switch word {
        case "today": self = .today
        case "yesterday": self = .yesterday
        default:
            guard let days = DaysText.days(in: word) else { return nil }
            self = .days(days)
        }
    }
}

extension WorkChoice {
    /// The choice by a label or by a tag: all work if neither is given, nil if both are. The label is cleaned
    /// as replay cleans labels of the log.
    package init?(label: String?, tag: String?) {
        switch (label, tag) {
        case (nil, nil): self = .all
        case (let label?, nil): self = .label(Text.cleaned(label))
        case (nil, let tag?): self = .tag(tag)
        case (.some, .some): return nil
        }
    }
}
