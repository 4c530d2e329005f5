import FocusCore
import TestSupport
import Testing

@Suite("Days of a place")
struct LocalCalendarTests {
    private func day(_ year: Int64, _ month: Int64, _ day: Int64) throws -> Day {
        try #require(Day(year: year, month: month, day: day))
    }

    @Test("a day is as long as the clocks make it")
    func lengths() throws {
        #expect(try LocalCalendar.berlin.span(of: day(2025, 3, 30)).length == .seconds(23 * 3600))
        #expect(try LocalCalendar.berlin.span(of: day(2025, 10, 26)).length == .seconds(25 * 3600))
        #expect(try LocalCalendar.berlin.span(of: day(2025, 10, 27)).length == .seconds(24 * 3600))
        let week = try day(2025, 10, 20)...day(2025, 10, 26)
        #expect(LocalCalendar.berlin.span(of: week).length == .seconds(169 * 3600))
    }

    @Test("an instant is on the day whose span has it", arguments: [-840, -60, 0, 60, 345, 720])
    func fixed(offset: Int64) {
        let calendar = LocalCalendar.fixed(offset: minutes(offset))
        for number in [-400_000, -1, 0, 1, 20_412, 3_000_000] as [Int64] {
            let span = calendar.span(of: Day(number: number))
            #expect(calendar.day(of: span.from) == Day(number: number))
            #expect(calendar.day(of: span.to - 1) == Day(number: number))
            #expect(calendar.day(of: span.to) == Day(number: number + 1))
        }
    }

    /// Returns the calendar of a place that is `before` hours ahead of UTC, and `after` hours from `change`
    /// on. `change` is in seconds since 1970.
    private func place(_ before: Double, _ after: Double, from change: Int64) -> LocalCalendar {
        LocalCalendar { instant in .seconds(Int64((instant.seconds < change ? before : after) * 3600)) }
    }

    @Test(
        "a day that a place left out has no instant, and one that has no midnight, or two, begins with the first instant"
    )
    func strangeMidnights() throws {
        // Samoa changed from the end of 29 December 2011 to the beginning of the 31st.
        let missing = try day(2011, 12, 30)
        let samoa = place(-10, 14, from: missing.number * 86_400 + 10 * 3600)
        let midnight = samoa.span(of: missing).from
        #expect(samoa.span(of: missing) == Interval(from: midnight, to: midnight))
        #expect(samoa.day(of: midnight) == missing.advanced(by: 1))
        #expect(samoa.day(of: midnight - 1) == missing.advanced(by: -1))
        // A place, the day, its change's hour in UTC, and how long the day is from its midnight or the change.
        let cases: [(LocalCalendar, Day, from: Int64, hours: Int64)] = try [
            // Brazil's clocks went from 00:00 to 01:00.
            (place(-3, -2, from: try day(2018, 11, 4).number * 86_400 + 3 * 3600), day(2018, 11, 4), 3, 23),
            // Cuba's go from 01:00 to 00:00.
            (place(-4, -5, from: try day(2018, 2, 18).number * 86_400 + 5 * 3600), day(2018, 2, 18), 4, 25),
            // Brazil's went from 00:00 to 23:00.
            (place(-4, -5, from: try day(2018, 2, 18).number * 86_400 + 4 * 3600), day(2018, 2, 17), 4, 25),
        ]
        for (calendar, day, hour, hours) in cases {
            let from: SharedInstant = seconds(day.number * 86_400 + hour * 3600)
            #expect(calendar.span(of: day) == Interval(from: from, to: from + seconds(hours * 3600)))
        }
    }

    @Test("every instant is on one day, whatever the clocks do", arguments: 0..<30 as Range<UInt64>)
    func anyClocks(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Random changes, at least two days apart, at any time of the day. Newfoundland's clocks changed at
        // one minute past midnight.
        var changes: [(from: Int64, offset: Int64)] = [(.min, 0)]
        for number in 1...40 as ClosedRange<Int64> {
            let from = number * 3 * 86_400 + Int64.random(in: 0..<86_400, using: &random)
            changes.append((from, Int64.random(in: -50...50, using: &random) * 900))
        }
        let fixed = changes
        let calendar = LocalCalendar { instant in
            .seconds(fixed.last { $0.from <= instant.seconds }?.offset ?? 0)
        }
        for number in 0...125 as ClosedRange<Int64> {
            let span = calendar.span(of: Day(number: number))
            #expect(span.length >= 0, "seed \(seed), day \(number)")
            #expect(span.from == calendar.span(of: Day(number: number - 1)).to)
            guard span.length > 0 else { continue }
            #expect(calendar.day(of: span.from) == Day(number: number), "seed \(seed)")
            #expect(calendar.day(of: span.to - 1) == Day(number: number), "seed \(seed)")
        }
    }

    @Test("a span is split where the days change")
    func splitting() throws {
        let first = try day(2025, 10, 25)
        let from = LocalCalendar.berlin.span(of: first).to - .seconds(600)
        var cursor = DayCursor(.berlin)
        var parts: [(Day, Duration)] = []
        cursor.split(Interval(from: from, to: from + minutes(10 + 25 * 60 + 5))) {
            parts.append(($0, $1.length))
        }
        #expect(parts.map(\.0) == [first, first.advanced(by: 1), first.advanced(by: 2)])
        #expect(parts.map(\.1) == [minutes(10), minutes(25 * 60), minutes(5)])
    }
}
