import FocusCore
import TestSupport
import Testing

@Suite("Days of the calendar")
struct DayTests {
    private func day(_ year: Int64, _ month: Int64, _ day: Int64) throws -> Day {
        try #require(Day(year: year, month: month, day: day))
    }

    @Test("every day of 800 years has the date after that of the day before")
    func dates() throws {
        var expected = try day(1600, 1, 1)
        for year in 1600..<2400 as Range<Int64> {
            for month in 1...12 as ClosedRange<Int64> {
                var count: Int64 = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(month) - 1]
                if month == 2, year % 4 == 0, year % 100 != 0 || year % 400 == 0 { count = 29 }
                for number in 1...count {
                    let found = try day(year, month, number)
                    try #require(found == expected)
                    try #require(found.date == (year, month, number))
                    expected = found.advanced(by: 1)
                }
                try #require(Day(year: year, month: month, day: count + 1) == nil)
            }
        }
    }

    @Test("days are counted from 1970-01-01, a Thursday")
    func epoch() throws {
        #expect(try day(1970, 1, 1).number == 0)
        #expect(try day(1970, 1, 1).weekday == 4)
        #expect(Day(number: -4).weekday == 7)
        #expect(Day(number: -1).description == "1969-12-31")
        #expect(try day(2025, 11, 20).description == "2025-11-20")
        #expect(try day(2024, 2, 28).distance(to: day(2024, 3, 1)) == 2)
    }

    @Test("the year goes from 0 to 9999", arguments: [(-1, false), (0, true), (9999, true), (10_000, false)])
    func years(year: Int64, isThere: Bool) {
        #expect((Day(year: year, month: 1, day: 1) != nil) == isThere)
    }

    @Test(
        "weeks are those of ISO 8601, at the turn of the year too",
        arguments: [
            ("2024-12-29", "2024-W52"), ("2024-12-30", "2025-W01"), ("2025-12-28", "2025-W52"),
            ("2025-12-29", "2026-W01"), ("2026-12-31", "2026-W53"), ("2027-01-03", "2026-W53"),
            ("2027-01-04", "2027-W01"), ("2021-01-03", "2020-W53"), ("2025-11-20", "2025-W47"),
        ])
    func weeks(day: String, name: String) throws {
        let parts = day.split(separator: "-").compactMap { Int64($0) }
        let day = try self.day(parts[0], parts[1], parts[2])
        #expect(CalendarUnit.week.name(around: day) == name)
        #expect(CalendarUnit.week.days(around: day).map(\.weekday) == [1, 2, 3, 4, 5, 6, 7])
        #expect(CalendarUnit.week.days(around: day).contains(day))
    }

    @Test("weeks, months and years hold the days that bear their name, and no other")
    func units() throws {
        let all = try day(1999, 12, 1)...day(2005, 2, 1)
        for unit in CalendarUnit.allCases {
            for day in all {
                let days = unit.days(around: day)
                try #require(days.contains(day))
                let name = unit.name(around: day)
                try #require(unit.name(around: days.lowerBound) == name)
                try #require(unit.name(around: days.upperBound) == name)
                try #require(unit.name(around: days.lowerBound.advanced(by: -1)) != name)
                try #require(unit.name(around: days.upperBound.advanced(by: 1)) != name)
            }
        }
        #expect(try CalendarUnit.month.name(around: day(2025, 2, 3)) == "2025-02")
        #expect(try CalendarUnit.month.days(around: day(2024, 2, 3)).count == 29)
        #expect(try CalendarUnit.year.name(around: day(2025, 2, 3)) == "2025")
        #expect(try CalendarUnit.year.days(around: day(2024, 2, 3)).count == 366)
    }
}
