import CursesKit
import FocusClient
import FocusCore
import FocusFront
import FocusScreen
import FocusText
import TestSupport

/// The data that the tests of the full-screen view show, always the same.
enum Samples {
    /// Thursday, 20 November 2025, 15:00 in Berlin.
    static let now: SharedInstant = 1_763_647_200_000
    static let today = LocalCalendar.berlin.day(of: now)

    /// Returns the presentation of a session that began this long before `now`, after the presses in `more`.
    static func running(
        for elapsed: Duration, label: String? = "Write", sharing: GroupStatus = .alone,
        _ more: (inout LogScript, RunID) -> Void = { _, _ in }
    ) throws -> Presentation {
        var log = LogScript()
        let run = log.start(now - elapsed, label: label)
        more(&log, run)
        return Presentation(TimerState(try EventLog(log.events).replayed().0, at: now), sharing: sharing)
    }

    static func stopped(_ sharing: GroupStatus = .alone) -> Presentation {
        Presentation(TimerState(ReplayState(), at: now), sharing: sharing)
    }

    /// Returns the history of a year.
    static func history() throws -> History { try year.get() }

    private static let year = Result { try makeHistory() }

    private static func makeHistory() throws -> History {
        var random = SeededGenerator(seed: 23)
        var log = LogScript()
        let labels = ["Write", "Write", "Review of the paper on clocks that nobody sets", "", "日本語の勉強"]
        for day in today.advanced(by: -380)...today where day.date.month != 8 {
            let begin = LocalCalendar.berlin.span(of: day).from + minutes(9 * 60)
            for number in 0..<Int64.random(in: day.weekday > 5 ? 0...2 : 4...10, using: &random) {
                let from = begin + minutes(30 * number)
                let outcome = Int.random(in: 0..<5, using: &random)
                let end = from + minutes(outcome > 1 ? 25 : 12)
                guard end < now else { break }
                let outcomes = ["stopped", "skipped", "completed", "completed", "completed"]
                log.add(
                    .record(
                        .init(
                            activity: "work", startedAt: from, endedAt: end, outcome: outcomes[outcome],
                            label: labels.randomElement(using: &random) ?? "", source: "\(from.milliseconds)")
                    ), end)
                if outcome > 1 {
                    log.add(
                        .record(
                            .init(
                                activity: number % 4 == 3 ? "longBreak" : "shortBreak", startedAt: end,
                                endedAt: end + minutes(5), outcome: "completed", label: "",
                                source: "b\(from.milliseconds)"
                            )),
                        end + minutes(5))
                }
            }
        }
        let (state, journal) = try EventLog(log.events).replayed()
        return History(journal, state, at: now)
    }

    private static let yearCounted = Result { Statistics(try history().records, .berlin) }

    static func historyRows(filter: String = "") throws -> HistoryList { try book.get().list(filter) }

    private static let book = Result { HistoryIndex(try history(), .berlin, clocks) }

    /// Berlin's clocks, except for the hours of the nights in which they change.
    static let clocks = LocalZone { instant in
        let day = LocalCalendar.berlin.day(of: instant)
        return .midnight(of: day) - LocalCalendar.berlin.span(of: day).from
    }

    static func statistics(_ place: StatisticsViewState) throws -> StatisticsScene {
        let whole = try yearCounted.get()
        let days = StatisticsScene.days(of: place.range, whole, today: today)
        var settings = Settings()
        settings.set(.dailyGoal, to: 4)
        return StatisticsScene(
            whole, place, Goals(settings), today: today,
            zone: ZoneName(abbreviation: "CET", offset: .seconds(3600)),
            work: place.chart.isOfRange
                ? .init(days: days, statistics: Statistics(try history().records, .berlin, in: days)) : nil)
    }
}
