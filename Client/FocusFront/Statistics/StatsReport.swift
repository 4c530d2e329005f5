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

/// What `stats` is to show.
package struct StatsRequest: Hashable, Sendable {
    /// Which days.
    package var range: StatsRange
    /// Which work.
    package var choice: WorkChoice
    /// Whether they are shown as one JSON object.
    package var json: Bool

    /// All work of the year up to today, for people, unless something else is asked for.
    package init(
        range: StatsRange = .given(from: nil, to: nil), choice: WorkChoice = .all, json: Bool = false
    ) {
        self.range = range
        self.choice = choice
        self.json = json
    }
}

/// The days that `stats` is asked for.
package enum StatsRange: Hashable, Sendable {
    /// The week, month or year that today is in, up to today.
    case present(CalendarUnit)
    /// From and up to these days; the year up to today where there are neither.
    case given(from: DayWord?, to: DayWord?)

    /// The days themselves.
    ///
    /// - Parameter first: The first day that has something.
    /// - Throws: where the range ends before it begins.
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
    /// How a day is written, as a sentence.
    package static let rule = "A day is written today, yesterday, \(DaysText.rule)."

    /// The days that a word names; nil where it names none.
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
    /// What is asked for by a label, cleaned as replay cleans those of the log, or by a tag; nil where both are given.
    package init?(label: String?, tag: String?) {
        switch (label, tag) {
        case (nil, nil): self = .all
        case (let label?, nil): self = .label(Text.cleaned(label))
        case (nil, let tag?): self = .tag(tag)
        case (.some, .some): return nil
        }
    }
}
