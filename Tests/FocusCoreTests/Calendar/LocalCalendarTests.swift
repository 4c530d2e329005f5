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
        #expect(try LocalCalendar.berlin.span(of: day(2025, 3, 30)).length == 23 * 3_600_000)
        #expect(try LocalCalendar.berlin.span(of: day(2025, 10, 26)).length == 25 * 3_600_000)
        #expect(try LocalCalendar.berlin.span(of: day(2025, 10, 27)).length == 24 * 3_600_000)
        let week = try day(2025, 10, 20)...day(2025, 10, 26)
        #expect(LocalCalendar.berlin.span(of: week).length == 169 * 3_600_000)
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

    @Test("a day that a place left out has no instant")
    func leftOut() {
        // Samoa had no 30 December 2011: it went from 11 hours behind UTC, in summer 10, to 14 ahead.
        let missing = 15_338 as Int64
        let samoa = LocalCalendar { day in
            day.number * 86_400_000 - minutes(60) * (day.number <= missing ? -10 : 14)
        }
        #expect(samoa.span(of: Day(number: missing)).length == 0)
        let midnight = samoa.span(of: Day(number: missing)).from
        #expect(samoa.day(of: midnight) == Day(number: missing + 1))
        #expect(samoa.day(of: midnight - 1) == Day(number: missing - 1))
    }

    @Test("a span is split where the days change")
    func splitting() throws {
        let first = try day(2025, 10, 25)
        let from = LocalCalendar.berlin.span(of: first).to - minutes(10)
        var cursor = DayCursor(.berlin)
        var parts: [(Day, Int64)] = []
        cursor.split(Interval(from: from, to: from + minutes(10 + 25 * 60 + 5))) {
            parts.append(($0, $1.length))
        }
        #expect(parts.map(\.0) == [first, first.advanced(by: 1), first.advanced(by: 2)])
        #expect(parts.map(\.1) == [minutes(10), minutes(25 * 60), minutes(5)])
    }
}
