import ClientSupport
import CommandLineKit
import FocusCore
import FocusFormats
import FocusText
import TestSupport
import Testing

@Suite("Histories in other formats, out and in")
struct HistoryCarryingTests {
    private let homes = [TemporaryHome(), TemporaryHome()]
    private let laptop: TestContext
    private let other: TestContext

    init() {
        BerlinTime.set()
        laptop = TestContext(home: homes[0].path, now: 1_763_661_600_000)
        other = TestContext(
            home: homes[1].path, now: 1_763_661_600_000 + 7_200_000, hostName: "other", firstReplica: 0xB0)
    }

    /// Works for an hour and a half, with pauses, breaks, labels and every kind of correction.
    private func work() throws {
        _ = laptop.run("start Write")
        laptop.pass(.milliseconds(300_250))
        laptop.play(("pause", 300), ("resume", 1500))
        _ = laptop.run(["label", "say \"so\", then"])
        laptop.pass(.seconds(1500))
        laptop.play(
            ("stop", 0), ("log add Read --from 9:00 --for 25m", 0),
            ("log add Gone --from 10:00 --for 25m", 0),
            ("log add Old --from 11:00 --for 25m", 0))
        let entries = try laptop.entries()
        laptop.play(
            ("log remove \(entries[1])", 0), ("log label \(entries[2]) New", 0),
            ("log label \(entries[2]) Newer", 60))
    }

    private func days(_ laptop: TestContext) throws -> String? {
        try JSON(parsing: laptop.run("log --json").output.utf8)["days"]?.description
    }

    /// Labels as people write them in Hebrew and Arabic, and labels with characters that garble a terminal's
    /// lines.
    private static let garbling = [
        "\u{2067}\u{5E9}\u{5DC}\u{5D5}\u{5DD}\u{2069} (v2)", "\u{2068}report\u{2069}",
        "\u{202B}\u{645}\u{202C}",
        "one\u{2028}two", "one\u{2029}two",
    ]

    @Test(
        "labels are exported and imported unchanged, and a second import adds nothing",
        arguments: FileFormat.allCases)
    func exactLabels(format: FileFormat) throws {
        for (hour, label) in Self.garbling.enumerated() {
            _ = laptop.run(["log", "add", label, "--from", "0\(hour):00", "--for", "25m"])
        }
        let export = ["export", "--format", format.rawValue]
        let text = laptop.run(export).output
        #expect(!text.contains("\u{FFFD}"))
        laptop.put(text, at: "file")
        other.put(text, at: "file")
        let log = laptop.run("export").output
        #expect(laptop.run("import file").status == .done)
        #expect(laptop.run("export").output == log)
        #expect(other.run("import file").status == .done)
        if format != .log { #expect(other.run(export).output == text) }
        #expect(try other.textFields("label") == Self.garbling)
        let otherLog = other.run("export").output
        #expect(other.run("import file").status == .done)
        #expect(other.run("export").output == otherLog)
    }

    @Test("a terminal gets a file without characters that would garble it", arguments: HistoryFormat.allCases)
    func atTerminal(format: HistoryFormat) {
        let screen = TestContext.Screen(isTerminal: true)
        let laptop = TestContext(home: homes[0].path, now: 1_763_661_600_000, screen: screen)
        _ = laptop.run(["log", "add", Self.garbling[0], "--for", "25m"])
        let text = laptop.run("export --format \(format.rawValue)").output
        // A JSON string has an escape for the character.
        let shown = format == .timewarrior ? "\\u2067" : "\u{FFFD}"
        #expect(text.contains(shown) && !text.contains("\u{2067}"))
    }

    @Test(
        "importing an older export brings back neither removed entries nor old labels",
        arguments: HistoryFormat.allCases)
    func correctedSince(format: HistoryFormat) throws {
        try work()
        laptop.put(laptop.run("export --format \(format.rawValue)").output, at: "file")
        let entries = try laptop.entries()
        for entry in entries.dropLast() { _ = laptop.run("log label \(entry) Other") }
        _ = laptop.run("log remove \(try #require(entries.last))")
        let log = laptop.run("export").output
        #expect(laptop.run("import file").messages.hasPrefix("focus: Added 0 entries from file; "))
        #expect(laptop.run("export").output == log)
    }

    @Test(
        "a split entry isn't added on a laptop that has it whole, and becomes two entries on another",
        arguments: [HistoryFormat.csv, .ics], ["19:10", "19:30", "19:45"])
    func splitSince(format: HistoryFormat, instant: String) throws {
        // The work lasts from 19:00 to 19:25, and from 19:35 to 20:00.
        laptop.play(
            ("set workLength=50m", 0), ("start Write", 1500), ("pause", 600), ("resume", 1800))
        let export = "export --format \(format.rawValue)"
        other.put(laptop.run(export).output, at: "file")
        _ = other.run("import file")
        let whole = try days(other)
        let entry = try #require(try laptop.entries().first)
        _ = laptop.run("log split \(entry) \(instant) Other")
        let text = laptop.run(export).output
        #expect(text.contains("Other"))
        other.put(text, at: "file")
        #expect(other.run("import file").messages.hasPrefix("focus: Added 0 entries from file; "))
        #expect(try days(other) == whole)

        let third = TemporaryHome()
        let fresh = TestContext(
            home: third.path, now: 1_763_661_600_000 + 7_200_000, hostName: "third", firstReplica: 0xC0)
        fresh.put(text, at: "file")
        _ = fresh.run("import file")
        #expect(try days(fresh) == days(laptop))
        #expect(fresh.run(export).output == text)
    }

    @Test("another laptop imports what the format can represent, once", arguments: HistoryFormat.allCases)
    func anotherLaptop(format: HistoryFormat) throws {
        try work()
        _ = other.run("start Own")
        let text = laptop.run("export --format \(format.rawValue)").output
        other.put(text, at: "file")
        let first = other.run("import file")
        #expect(first.status == .done)
        #expect(first.messages.hasPrefix("focus: Added ") && !first.messages.hasPrefix("focus: Added 0"))
        #expect(other.notifications == 2)
        let log = other.run("export").output
        #expect(other.run("import file").messages.hasPrefix("focus: Added 0 entries from file; "))
        #expect(other.run("export").output == log)
        // Then the history is imported on the laptop that it came from.
        _ = other.run("stop")
        laptop.put(other.run("export --format \(format.rawValue)").output, at: "back")
        let before = laptop.run("export").output
        #expect(laptop.run("import back").messages.hasPrefix("focus: Added 0 entries from back; "))
        #expect(laptop.run("export").output == before)
    }

    @Test("a CSV table keeps each day's focus time and completed phases")
    func table() throws {
        try work()
        other.put(laptop.run("export --format csv").output, at: "file")
        _ = other.run("import file")
        #expect(try days(other) == days(laptop))
    }

    @Test("a log and a table of the same history add it once, in either order", arguments: [true, false])
    func logAndTable(logFirst: Bool) throws {
        try work()
        _ = other.run("start Own")
        other.put(laptop.run("export").output, at: "log")
        other.put(laptop.run("export --format csv").output, at: "table")
        _ = other.run("import \(logFirst ? "log" : "table")")
        let log = other.run("export").output
        #expect(other.run("import \(logFirst ? "table" : "log")").status == .done)
        #expect(other.run("export").output == log)
    }

    @Test(
        "importing a random log's own export adds nothing", arguments: HistoryFormat.allCases,
        [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func randomLogs(format: HistoryFormat, seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 120).events
        let end = (events.map(\.time).max() ?? 0) + 1
        laptop.set { $0.wall = max(end, 1) }
        laptop.put(events.map { "\(EventLine($0))\n" }.joined(), at: "log")
        let merged = laptop.run("import log")
        #expect(merged.status == .done, "seed \(seed): \(merged.messages)")
        let log = laptop.run("export").output
        laptop.put(laptop.run("export --format \(format.rawValue)").output, at: "file")
        let result = laptop.run("import file --format \(format.rawValue)")
        #expect(result.status == .done, "seed \(seed): \(result.messages)")
        #expect(laptop.run("export").output == log, "seed \(seed): \(result.messages)")
    }

    @Test("unreadable entries are left out and named by line; with --strict nothing is imported")
    func unreadable() {
        let rows = "started,ended\n2025-11-20T08:00:00Z,2025-11-20T08:25:00Z\n"
        other.put(
            rows + "2025-11-20T09:00:00Z,soon\n2025-11-20T10:00:00Z,2025-11-20T09:00:00Z\n", at: "table.csv")
        let bad = "ended is 'soon', and not a time as in 2025-11-20T18:00:00Z"
        #expect(
            other.run("import table.csv --strict")
                == .init(
                    status: .failed, output: "",
                    messages: "focus: table.csv, line 3: \(bad). Nothing was imported.\n"))
        #expect(other.run("export").output == "")
        #expect(other.notifications == 0)
        #expect(
            other.run("import table.csv")
                == .init(
                    status: .done, output: "",
                    messages:
                        "focus: Added 1 entry from table.csv. Left out, because it can't be read:\n"
                        + "  line 3: \(bad)\n  line 4: it ends before it begins\n"))
        other.put("started,ended\n" + String(repeating: "soon,late\n", count: 22), at: "none.csv")
        let nothing = other.run("import none.csv")
        #expect(nothing.status == .failed)
        #expect(nothing.messages.contains("  line 21: ") && !nothing.messages.contains("  line 22: "))
        #expect(
            nothing.messages.hasSuffix(
                "  and 2 more, up to line 23\n"
                    + "focus: Nothing was imported from none.csv: nothing in it can be read as csv.\n"))
    }

    @Test(
        "the last version of a calendar event counts, across imports too, and a removed event stays removed"
    )
    func versions() throws {
        func version(_ number: Int, _ hour: String, _ uid: String = "q") -> String {
            "BEGIN:VEVENT\nUID:\(uid)\nSEQUENCE:\(number)\nSUMMARY:v\(number)\nDTSTART:20251120T\(hour)0000Z\n"
                + "DURATION:PT1H\nEND:VEVENT\n"
        }
        func bring(_ events: String...) -> String {
            other.put("BEGIN:VCALENDAR\n\(events.joined())END:VCALENDAR\n", at: "file.ics")
            return other.run("import file.ics").messages
        }
        #expect(bring(version(1, "09")) == "focus: Added 1 entry from file.ics.\n")
        #expect(
            bring(version(2, "10"), version(3, "11"), version(0, "08"))
                == "focus: Added 1 entry from file.ics, 1 of them in place of an earlier version. "
                + "Left out: 2 in an earlier version (first in line 2).\n")
        #expect(try other.textFields("label") == ["v3"])
        #expect(bring(version(2, "10")) == "focus: Added 0 entries from file.ics; 1 was here already.\n")
        #expect(bring(version(3, "11")) == "focus: Added 0 entries from file.ics; 1 was here already.\n")
        // Another laptop that gets the versions in another order shows the same.
        laptop.set { $0.wall += .seconds(7200) }
        laptop.put(other.run("export --format ics").output, at: "file.ics")
        _ = laptop.run("import file.ics")
        #expect(try laptop.textFields("label") == ["v3"])
        _ = other.run("log remove \(try #require(other.entries().first))")
        #expect(bring(version(4, "12")) == "focus: Added 0 entries from file.ics; 1 was here already.\n")
        #expect(try other.textFields("label") == [])
        #expect(bring(version(1, "09", "r")).hasPrefix("focus: Added 1 entry"))
        _ = other.run("undo")
        #expect(try other.textFields("label").sorted() == ["v1", "v3"])
    }

    @Test("export warns of labels that a spreadsheet would compute, and --no-formulas disarms them")
    func formulas() throws {
        _ = laptop.run(["log", "add", "=1+1", "--for", "25m"])
        let raw = laptop.run("export --format csv")
        #expect(raw.output.contains(",=1+1\r\n"))
        #expect(
            raw.messages
                == "focus: 1 label would be a formula in a spreadsheet: --no-formulas puts an apostrophe before it.\n"
        )
        let disarmed = laptop.run("export --format csv --no-formulas")
        #expect(disarmed.output.contains(",'=1+1\r\n"))
        #expect(
            disarmed.messages
                == "focus: 1 label has an apostrophe before it. When you import the file, it is removed.\n")
        other.put(disarmed.output, at: "file")
        _ = other.run("import file")
        #expect(try other.textFields("label") == ["=1+1"])
        #expect(laptop.run("export --format toggl --no-formulas").status == .usage)
    }

    @Test("entries that a history can't hold are left out, counted and named by line")
    func leftOut() {
        other.put(
            """
            started,ended,label
            2025-11-20T08:00:00Z,2025-11-20T08:25:00Z,one
            2025-11-20T08:00:00Z,2025-11-20T08:00:00Z,two
            2025-11-20T08:00:00Z,2025-11-22T08:00:00Z,three
            2025-11-20T09:00:00Z,2025-11-20T09:00:00Z,four
            2025-11-20T19:59:00Z,2025-11-20T20:00:01Z,five
            2025-11-20T08:00:00Z,2025-11-20T08:25:00Z,one
            """, at: "file")
        #expect(
            other.run("import file").messages
                == "focus: Added 1 entry from file; 1 was here already. Left out: 2 without a length (first in line 3), "
                + "1 longer than 24 hours (line 4), 1 ending in the future (line 6).\n")
        #expect(other.run("log").output.contains("one"))
    }

    @Test("a file of an unknown kind is refused, unless its extension or --format says the format")
    func unknown() {
        other.put("Dear diary,\n", at: "diary.txt")
        other.put("Dear diary,\n", at: "diary.csv")
        other.put("inc 20251120T090000Z - 20251120T093000Z # Write\n", at: "2025-11.data")
        #expect(
            other.run("import 2025-11.data").messages
                == "focus: 2025-11.data is Timewarrior's own data. Import what 'timew export' writes.\n")
        let result = other.run("import diary.txt")
        #expect(result.status == .failed)
        #expect(
            result.messages
                == "focus: The format of diary.txt isn't clear from its first lines. Give it with --format: jsonl, csv, ics, "
                + "timewarrior, open-pomodoro, toggl.\n")
        #expect(
            other.run("import diary.csv").messages
                == "focus: diary.csv, line 1: the column 'started' is missing. Nothing was imported.\n")
        #expect(
            other.run("import diary.txt --format ics").messages
                == "focus: diary.txt, line 1: it is not NAME:VALUE, as lines of calendars are. "
                + "Nothing was imported.\n")
    }

    @Test("a file without entries changes nothing")
    func empty() {
        other.put("started,ended\n", at: "file")
        #expect(
            other.run("import file")
                == .init(
                    status: .done, output: "",
                    messages: "focus: file has no entries, so nothing was imported.\n"))
        #expect(
            other.run("export --format csv").output == "id,activity,started,ended,seconds,outcome,label\r\n")
    }

    @Test("an undo skips imported entries, because they are no presses")
    func undo() {
        _ = other.run("start Own")
        other.put("2025-11-20T08:00:00Z duration=25 description=Old\n", at: "history")
        _ = other.run("import history")
        #expect(other.run("undo").messages.contains("the start"))
        #expect(other.run("log").output.contains("Old"))
    }

    @Test(
        "entries of equal times are the same if their labels are equal, across formats"
    )
    func acrossFormats() throws {
        other.put("2025-11-20T08:00:00Z duration=25 description=Write\n", at: "pomodoro")
        _ = other.run("import pomodoro")
        let interval = "\"start\":\"20251120T080000Z\",\"end\":\"20251120T082500Z\""
        other.put("[{\(interval),\"tags\":[\"Write\"]},{\(interval),\"tags\":[\"Read\"]}]", at: "timew")
        #expect(
            other.run("import timew").messages == "focus: Added 1 entry from timew; 1 was here already.\n")
    }

    @Test("a Toggl table has the given address; without one, export says that Toggl asks for it")
    func email() throws {
        try work()
        let without = laptop.run("export --format toggl")
        #expect(without.messages.contains("--email ADDRESS"))
        let with = laptop.run("export --format toggl --email me@example.org")
        #expect(!with.messages.contains("--email"))
        #expect(with.output.contains("\r\nme@example.org,Read,2025-11-20,09:00:00,00:25:00\r\n"))
    }
}
