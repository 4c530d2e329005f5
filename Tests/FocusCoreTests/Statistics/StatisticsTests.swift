import FocusCore
import TestSupport
import Testing

/// A history of records, with instants by the clock of one place.
struct FactHistory {
    private var log = LogScript()
    private var count = 0
    private let calendar: LocalCalendar

    init(_ calendar: LocalCalendar = .fixed()) { self.calendar = calendar }

    /// Appends a phase that begins `start` minutes after the day began and lasts `length` minutes.
    mutating func add(
        _ day: Day, _ start: Int64, _ length: Int64, _ label: String = "", activity: String = "work",
        outcome: String = "completed"
    ) {
        count += 1
        let from = calendar.span(of: day).from + minutes(start)
        log.add(
            .record(
                .init(
                    activity: activity, startedAt: from, endedAt: from + minutes(length), outcome: outcome,
                    label: label, source: "\(count)")),
            from + minutes(length))
    }

    func records() throws -> [PhaseRecord] { try history().records }

    func history() throws -> History {
        var timeline = Timeline()
        try timeline.merge(log.events)
        let end = log.events.map(\.time).max() ?? 0
        let history = History(timeline.journal, timeline.state, at: end)
        try #require(history.records.count == count)
        return history
    }

    func statistics(in range: ClosedRange<Day>? = nil, label: String? = nil) throws -> Statistics {
        Statistics(try records(), calendar, in: range, of: label.map { .label($0) } ?? .all)
    }
}

extension Day {
    /// Returns a day of November 2025. The 20th is a Thursday.
    static func november(_ day: Int64) -> Day { Day(number: 20_392 + day) }
}

/// docs/timer-rules.md §6.
@Suite("Statistics")
struct StatisticsTests {
    @Test("a completed phase counts where at least half of it isn't covered by those counted before")
    func counted() throws {
        func completed(_ phases: (Int64, Int64)...) throws -> Int {
            var history = FactHistory()
            for (start, length) in phases { history.add(.november(20), start, length) }
            return try history.statistics().days.reduce(0) { $0 + $1.total.completed }
        }
        #expect(try completed((0, 20), (10, 20)) == 2)
        #expect(try completed((0, 21), (10, 20)) == 1)
        // A phase that doesn't count covers nothing.
        #expect(try completed((0, 20), (9, 20), (19, 20)) == 2)
        // Two earlier phases together cover half of the third, or more.
        #expect(try completed((0, 5), (10, 6), (0, 20)) == 2)
        #expect(try completed((0, 4), (10, 6), (0, 20)) == 3)
        // The order is that of the history: the phase that ends first comes first.
        #expect(try completed((0, 100), (10, 20), (40, 20), (70, 20)) == 3)
    }

    @Test("what counts doesn't depend on the days that are asked about")
    func countedWithin() throws {
        var history = FactHistory()
        history.add(.november(20), 23 * 60, 90)
        history.add(.november(21), 0, 31)
        let day = Day.november(21)...Day.november(21)
        #expect(try history.statistics(in: day).days.map(\.total.completed) == [0])
    }

    @Test("what was done at once under two labels is in both, and once in the day")
    func labels() throws {
        var history = FactHistory()
        history.add(.november(20), 0, 30, "a")
        history.add(.november(20), 10, 30, "b")
        history.add(.november(20), 15, 5, "a")
        history.add(.november(20), 50, 10, outcome: "stopped")
        history.add(.november(20), 60, 5, activity: "shortBreak")
        let statistics = try history.statistics()
        #expect(statistics.days.map(\.total) == [FocusTotal(focus: minutes(50), completed: 2)])
        #expect(statistics.labels.map(\.label) == ["a", "b", ""])
        #expect(statistics.labels.map(\.total.focus) == [minutes(30), minutes(30), minutes(10)])
        #expect(statistics.labels.map(\.total.completed) == [2, 1, 0])
    }

    @Test("days of 23 and 25 hours have the time that they have")
    func daylightSaving() throws {
        var history = FactHistory(.berlin)
        let spring = try #require(Day(year: 2025, month: 3, day: 29))
        let autumn = try #require(Day(year: 2025, month: 10, day: 25))
        for day in [spring, autumn] { history.add(day, 23 * 60, 24 * 60) }
        #expect(try history.statistics().days.map(\.total.focus).map { $0 / minutes(60) } == [1, 23, 1, 23])
        var whole = FactHistory(.berlin)
        for day in [spring, autumn] {
            whole.add(day, 23 * 60, 12 * 60)
            whole.add(day, 35 * 60, 14 * 60)
        }
        #expect(try whole.statistics().days.map(\.total.focus).map { $0 / minutes(60) } == [1, 23, 2, 1, 25])
    }

    @Test("only what lies within a range counts, and only what bears a label")
    func filters() throws {
        var history = FactHistory()
        for day in 18...22 as ClosedRange<Int64> {
            history.add(.november(day), 23 * 60 + 50, 20, "Write")
            history.add(.november(day), 60, 5, "Read")
        }
        let range = Day.november(19)...Day.november(20)
        let ranged = try history.statistics(in: range)
        #expect(ranged.days.map(\.day) == Array(range))
        #expect(ranged.days.map(\.total.focus) == [minutes(25), minutes(25)])
        #expect(
            ranged.labels.map(\.total) == [
                .init(focus: minutes(40), completed: 2), .init(focus: minutes(10), completed: 2),
            ])
        let all = try history.statistics()
        #expect(all.total(in: range) == ranged.total(in: range))
        let labelled = try history.statistics(label: "Read")
        #expect(
            labelled.days.map(\.total) == Array(repeating: .init(focus: minutes(5), completed: 1), count: 5))
        #expect(labelled.labels.map(\.label) == ["Read"])
        #expect(try history.statistics(label: "").days.isEmpty)
    }

    @Test("each day's focus time is that of the history within it", arguments: 0..<40 as Range<UInt64>)
    func againstHistory(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 120).events
        var timeline = Timeline()
        try timeline.merge(events)
        let end = (events.map(\.time).max() ?? 0) + minutes(3000)
        let history = History(timeline.journal, timeline.state, at: end)
        let statistics = Statistics(history.records.reversed(), .berlin)
        let counted = naivelyCounted(history.records)
        for day in statistics.days {
            let span = LocalCalendar.berlin.span(of: day.day)
            #expect(day.total.focus == history.focus(in: span), "seed \(seed), \(day.day)")
            let begun = counted.count { span.from <= $0.startedAt && $0.startedAt < span.to }
            #expect(day.total.completed == begun, "seed \(seed), \(day.day)")
        }
        let all = Interval(from: 0, to: end)
        #expect(statistics.days.reduce(0) { $0 + $1.total.focus } == history.focus(in: all))
        #expect(statistics.days.map(\.day) == statistics.days.map(\.day).sorted())
    }

    /// Returns the completed phases that count. Checks each span between two neighbouring instants for its
    /// own.
    private func naivelyCounted(_ records: [PhaseRecord]) -> [PhaseRecord] {
        var counted: [PhaseRecord] = []
        for record in records where record.activity == .work && record.outcome == .completed {
            let others = counted.flatMap(\.spans.intervals)
            let own = record.spans.intervals
            let edges = Set((others + own).flatMap { [$0.from, $0.to] }).sorted()
            var (running, covered): (Duration, Duration) = (0, 0)
            for (from, to) in zip(edges, edges.dropFirst())
            where own.contains(where: { $0.from <= from && to <= $0.to }) {
                running += to - from
                if others.contains(where: { $0.from <= from && to <= $0.to }) { covered += to - from }
            }
            if (running - covered) * 2 >= running { counted.append(record) }
        }
        return counted
    }

    @Test("a phase that begins as the range ends isn't in it")
    func rangeEnd() throws {
        var history = FactHistory()
        history.add(Day(number: 1), 0, 25)
        let statistics = try history.statistics(in: Day(number: 0)...Day(number: 0))
        #expect(statistics.days.isEmpty && statistics.labels.isEmpty)
    }

    @Test(
        "what was done on single days is what the statistics of the whole history say, whatever ran at once",
        arguments: 1...40 as ClosedRange<UInt64>)
    func dayTotals(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 300).events
        let (state, journal) = try EventLog(events).replayed()
        let history = History(journal, state, at: events.map(\.time).max() ?? 0)
        let days = Set(
            history.records.flatMap { [$0.startedAt, $0.endedAt] }.map { LocalCalendar.berlin.day(of: $0) })
        let totals = DayTotals(history, .berlin)
        let statistics = Statistics(history.records, .berlin)
        for day in days.flatMap({ [$0.advanced(by: -1), $0, $0.advanced(by: 1)] }) {
            #expect(totals.total(on: day) == statistics.total(in: day...day), "seed \(seed), \(day)")
        }
        let inOrder = days.sorted()
        for (first, last) in zip(inOrder, inOrder.dropFirst(2)) {
            let all = Statistics(history.records, .berlin, in: first...last)
            let near = Statistics(totals.records(around: first...last), .berlin, in: first...last)
            #expect(near.days == all.days && near.hours == all.hours, "seed \(seed), \(first)")
            #expect(near.labels == all.labels && near.tags == all.tags, "seed \(seed), \(first)")
        }
    }

    @Test("three phases at once over midnight count each moment once, on the day that it is of")
    func threeOverMidnight() throws {
        var facts = FactHistory()
        facts.add(.november(19), 23 * 60, 120)
        facts.add(.november(19), 23 * 60 + 30, 45)
        facts.add(.november(19), 23 * 60 + 40, 90)
        let totals = DayTotals(try facts.history(), .fixed())
        #expect(totals.total(on: .november(19)) == FocusTotal(focus: minutes(60), completed: 2))
        #expect(totals.total(on: .november(20)) == FocusTotal(focus: minutes(70), completed: 0))
    }
}
