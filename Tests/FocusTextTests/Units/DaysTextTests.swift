import FocusCore
import FocusText
import Testing

@Suite("Days as text")
struct DaysTextTests {
    @Test(
        "a day, a week, a month and a year are the days that they have",
        arguments: [
            ("2025-11-20", "2025-11-20 2025-11-20"), ("2025-W47", "2025-11-17 2025-11-23"),
            ("2026-W53", "2026-12-28 2027-01-03"), ("2025-W01", "2024-12-30 2025-01-05"),
            ("2024-02", "2024-02-01 2024-02-29"), ("2025", "2025-01-01 2025-12-31"),
            ("0000", "0000-01-01 0000-12-31"), ("9999-12-31", "9999-12-31 9999-12-31"),
        ])
    func read(text: String, days: String) throws {
        let found = try #require(DaysText.days(in: text))
        #expect("\(found.lowerBound) \(found.upperBound)" == days)
    }

    @Test(
        "what is written otherwise, or isn't in the calendar, is none",
        arguments: [
            "", "-", "20", "02025", "2025-", "2025-13", "2025-00", "2025-1", "2025-11-31", "2025-02-29",
            "2025-11-20-", "2025-11-2", "2025-W00", "2025-W53", "2025-W54", "2025-W7", "2025-w47", "2025-W",
            "2025-W47-1", "+025", "２０２５", "2025 ", "-2025", "today",
        ])
    func refused(text: String) {
        #expect(DaysText.days(in: text) == nil)
    }

    @Test("days are named for people")
    func names() throws {
        let day = try #require(Day(year: 2025, month: 11, day: 2))
        #expect(day.name == "Sun 2 Nov 2025")
        #expect(day.shortName == "Sun 2 Nov")
    }
}
