import FocusCore
import FocusFormats
import FocusText
import Testing

@Suite("Toggl Track's table")
struct TogglTests {
    @Test("the columns that its import takes are written, with local times")
    func written() {
        let entry = HistoryEntry.work("2025-11-20T23:30:00.900Z", "2025-11-21T00:00:00Z", "Write, read")
        #expect(
            FocusFormatsTests.written(
                [entry], .toggl, zone: clocks(of: "Europe/Berlin"), email: "me@example.org")
                == "Email,Description,Start date,Start time,Duration\r\n"
                + "me@example.org,\"Write, read\",2025-11-21,00:30:00,00:30:00\r\n")
        let day = HistoryEntry.work("2025-11-20T00:00:00Z", "2025-11-21T00:00:00Z")
        #expect(FocusFormatsTests.written([day], .toggl).hasSuffix(",,2025-11-20,00:00:00,24:00:00\r\n"))
    }

    @Test("in the hour that comes twice the end tells which is meant, else the first is taken")
    func clocksSetBack() throws {
        let berlin = clocks(of: "Europe/Berlin")
        let row = "2025-10-26,02:30:00,2025-10-26,03:15:00"
        func start(_ text: String) throws -> SharedInstant? {
            try entries(text, .toggl, zone: berlin).first?.interval.from
        }
        let head = "Start date,Start time,End date,End time,Duration\n"
        #expect(try start("\(head)\(row),01:45:00") == instant("2025-10-26T00:30:00Z"))
        #expect(try start("\(head)\(row),00:45:00") == instant("2025-10-26T01:30:00Z"))
        let short = "Start date,Start time,Duration\n2025-10-26,02:30:00,00:45:00"
        #expect(try start(short) == instant("2025-10-26T00:30:00Z"))
        let over = "Start date,Start time,Duration\n2025-10-26,01:30:00,02:00:00"
        #expect(
            try entries(over, .toggl, zone: berlin).map(\.interval)
                == [Interval(from: instant("2025-10-25T23:30:00Z"), to: instant("2025-10-26T01:30:00Z"))])
    }

    @Test("entries that run, last over a day or no time are left out")
    func leftOut() throws {
        let text =
            "Start date,Start time,Duration\n2025-11-20,18:00:00,-1763661600\n"
            + "2025-11-20,18:00:00,24:00:01\n2025-11-20,18:00:00,00:00:00\n"
        #expect(try omissions(text, .toggl) == ["running 2", "tooLong 3", "noLength 4"])
    }

    @Test(
        "what is wrong is named by its line",
        arguments: [
            ("Start date,Duration\n", "line 1: the column 'Start time' is missing"),
            ("Start date,Start time\n", "line 1: the column 'End date' is missing"),
            (
                "Start date,Start time,Duration\n20.13.2025,18:00:00,00:25:00\n",
                "line 2: Start is '20.13.2025' '18:00:00', and not a date and a time as in 2025-11-20 and 18:00:00"
            ),
            (
                "Start date,Start time,Duration\n2025-03-30,02:30:00,00:25:00\n",
                "line 2: Start is 2025-03-30 02:30:00, which this time zone leaves out: "
                    + "set TZ to the zone of the file"
            ),
            (
                "Email,Start date,Start time,Duration\na@b,2025-11-20,18:00:00,00:25:00\n"
                    + "c@d,2025-11-20,18:00:00,00:25:00\n",
                "line 3: the entries are of several people, 'a@b' in line 2 and 'c@d' here"
            ),
        ])
    func problems(text: String, expected: String) {
        #expect(problem(text, .toggl, zone: clocks(of: "Europe/Berlin")) == expected)
    }

    @Test("a report on several people is refused, and one whose address is written in two ways isn't")
    func people() throws {
        let head = "Email,Start date,Start time,Duration\n"
        let rows = ["a@b", "A@B", "c@d"].map { "\($0),2025-11-20,18:00:00,00:25:00\n" }
        #expect(try entries(head + rows[0] + rows[1], .toggl).count == 2)
        #expect(throws: FileFormatError.self) { try read(head + rows[0] + rows[2], .toggl) }
    }
}
