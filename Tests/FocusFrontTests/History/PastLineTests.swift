import CommandLineKit
import FocusFront
import FocusText
import TestSupport
import Testing

@testable import FocusClient

@Suite("A line that says what was done without the timer")
struct PastLineTests {
    private func clock(_ hour: Int64, _ minute: Int64) -> TimeWord {
        .today(.seconds((hour * 60 + minute) * 60))
    }

    private func local(_ text: String) throws -> TimeWord { .local(try #require(CivilTime(extended: text))) }

    @Test("begins with a time and an end or a length, and a date before it; the rest is the label")
    func forms() throws {
        let day = "2025-11-20"
        let forms: [(String, AddEntryRequest)] = [
            ("9:30-10:15 Report", AddEntryRequest(.between(clock(9, 30), clock(10, 15)), label: "Report")),
            ("09:30–10:15", AddEntryRequest(.between(clock(9, 30), clock(10, 15)))),
            (
                "  9:30 45m  the paper on 2025-11-20 ",
                AddEntryRequest(.from(clock(9, 30), .seconds(2_700)), label: "the paper on 2025-11-20")
            ),
            ("23:50-0:10", AddEntryRequest(.between(clock(23, 50), clock(0, 10)))),
            ("23:50-24:00", AddEntryRequest(.between(clock(23, 50), clock(24, 0)))),
            (
                "\(day) 23:50-0:10",
                AddEntryRequest(.between(try local("\(day) 23:50"), try local("2025-11-21 00:10")))
            ),
            (
                "\(day) 23:50-24:00",
                AddEntryRequest(.between(try local("\(day) 23:50"), try local("2025-11-21 00:00")))
            ),
            (
                "\(day) 10:15-9:30",
                AddEntryRequest(.between(try local("\(day) 10:15"), try local("\(day) 09:30")))
            ),
            ("1h30m Mail", AddEntryRequest(.upTo(nil, .seconds(5_400)), label: "Mail")),
            ("25", AddEntryRequest(.upTo(nil, .seconds(1_500)))),
            (
                "\(day) 9:30-10:15 x",
                AddEntryRequest(.between(try local("\(day) 09:30"), try local("\(day) 10:15")), label: "x")
            ),
            (
                "\(day) 9:30 20 x",
                AddEntryRequest(.from(try local("\(day) 09:30"), .seconds(1_200)), label: "x")
            ),
            (
                "2025-11-20T09:30:00Z 20m",
                AddEntryRequest(.from(.instant(1_763_631_000_000), .seconds(1_200)))
            ),
        ]
        for (line, request) in forms { #expect(try AddEntryRequest(line: line) == request, "\(line)") }
    }

    @Test(
        "that begins otherwise says what is wrong with it, and how it is written",
        arguments: [
            ("", ""), (" ", ""), ("blah", "'blah' is neither a time nor a duration. "),
            ("9:30", "An end or a duration is missing after 9:30. "),
            ("9:30 Report", "'Report' is not a duration. "),
            ("9:30-", "'9:30-' is neither a time nor a duration. "),
            ("25:00-26:00", "'25:00-26:00' is neither a time nor a duration. "),
            ("2025-11-20 45m", "'45m' is a duration: a date is followed by a time. "),
            ("2025-11-20 Report", "'Report' is not a time. "),
            ("2025-11-20", "A time is missing after 2025-11-20. "),
        ])
    func refused(line: String, problem: String) {
        #expect(throws: ValueProblem(problem + AddEntryRequest.lineRule)) { try AddEntryRequest(line: line) }
    }
}
