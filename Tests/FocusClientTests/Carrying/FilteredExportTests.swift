import ClientSupport
import CommandLineKit
import FocusCore
import FocusFormats
import FocusText
import TestSupport
import Testing

@Suite("A part of the history, exported")
struct FilteredExportTests {
    // Thursday, 20 November 2025, 19:00 in Berlin.
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let other = TestContext(
        folder: TemporaryHome(), now: 1_763_661_600_000 + 86_400_000, hostName: "other", firstReplica: 0xB0)

    init() { BerlinTime.set() }

    /// Adds an entry of each kind that an option tells from others. Two of them begin on another day in UTC.
    private func work() {
        for (label, from, to) in [
            ("Old #deep", "2025-11-16 12:00", "2025-11-16 12:30"),
            ("Read", "2025-11-17 00:10", "2025-11-17 00:40"),
            ("Night +deep", "2025-11-19 23:50", "2025-11-20 00:20"),
            ("Early", "2025-11-20 00:30", "2025-11-20 00:55"),
            ("Read", "2025-11-20 09:00", "2025-11-20 09:25"),
            ("", "2025-11-20 10:00", "2025-11-20 10:25"),
        ] {
            _ = laptop.run(["log", "add", label, "--from", from, "--to", to])
        }
    }

    /// Options, and the labels of the entries that they choose.
    private static let filters: [([String], [String])] = [
        ([], ["Old #deep", "Read", "Night +deep", "Early", "Read", ""]),
        (["--today"], ["Early", "Read", ""]),
        (["--week"], ["Read", "Night +deep", "Early", "Read", ""]),
        (["--from", "yesterday", "--to", "yesterday"], ["Night +deep"]),
        (["--from", "2025-11-20"], ["Early", "Read", ""]),
        (["--to", "2025-W46"], ["Old #deep"]),
        (["--label", " Read "], ["Read", "Read"]),
        (["--label", ""], [""]),
        (["--tag", "deep"], ["Old #deep", "Night +deep"]),
        (["--to", "2025-11-17", "--tag", "#deep"], ["Old #deep"]),
        (["--label", "Read", "--today"], ["Read"]),
    ]

    @Test("an export has the entries that the log shows with the same options", arguments: filters)
    func sameEntries(options: [String], labels: [String]) throws {
        work()
        let shown = try JSON(parsing: laptop.run(["log", "--json"] + options).output.utf8)
        let exported = laptop.run(["export"] + options + ["--format", "csv"])
        #expect(exported.status == .done && exported.messages == "")
        other.put(exported.output, at: "file")
        #expect(other.run("import file").status == .done)
        #expect(try other.textFields("label") == labels)
        guard case .array(let records)? = shown["history"] else {
            Issue.record("no history")
            return
        }
        #expect(try other.fields("startedAt") == records.compactMap { $0["startedAt"] })
    }

    @Test("a phase over midnight is exported whole, with the day on which it began")
    func midnight() {
        laptop.pass(.seconds(16_200))
        // The work lasts from 23:30 to 23:40, and from 0:30 to 0:45. A minute of a break follows.
        laptop.play(("start Write", 600), ("pause", 3000), ("resume", 960), ("stop", 0))
        let day = laptop.run("export --format toggl --email me@example.org --to yesterday")
        #expect(day.output.split(separator: "\r\n").count == 3)
        #expect(day.output.contains("Write,2025-11-20,23:30:00,00:10:00\r\n"))
        #expect(day.output.contains("Write,2025-11-21,00:30:00,00:15:00\r\n"))
        #expect(day.messages == "")
        let next = laptop.run("export --format toggl --email me@example.org --today")
        #expect(next.output == "Email,Description,Start date,Start time,Duration\r\n")
        #expect(next.messages.hasPrefix("focus: Left out 1 span that toggl can't hold: "))
        #expect(next.messages.hasSuffix("It began on Fri 21 Nov 2025, 00:45.\n"))
    }

    @Test(
        "if nothing matches, the export is a file without entries, and a message says so",
        arguments: HistoryFormat.allCases)
    func nothing(format: HistoryFormat) {
        let export = "export --format \(format.rawValue)"
        let empty = laptop.run(export).output
        work()
        let result = laptop.run("\(export) --label Sing")
        #expect(result.status == .done)
        #expect(result.output == empty)
        #expect(result.messages.hasPrefix("focus: Nothing in the history matches.\n"))
        laptop.put(empty, at: "file")
        let read = laptop.run("import file --format \(format.rawValue)")
        #expect(read.status == .done)
        #expect(read.messages.hasSuffix("so nothing was imported.\n"))
    }

    @Test("after a part of a history, the whole adds only the rest", arguments: HistoryFormat.allCases)
    func rest(format: HistoryFormat) {
        work()
        let export = "export --format \(format.rawValue)"
        other.put(laptop.run("\(export) --label Read").output, at: "part")
        let whole = laptop.run(export).output
        other.put(whole, at: "whole")
        #expect(other.run("import part").messages == "focus: Added 2 entries from part.\n")
        #expect(
            other.run("import whole").messages == "focus: Added 4 entries from whole; 2 were here already.\n")
        #expect(other.run(export).output == whole)
    }

    @Test("the second part of a split entry, exported by its label, isn't added to the whole entry")
    func split() throws {
        work()
        other.put(laptop.run("export --format csv").output, at: "file")
        _ = other.run("import file")
        let entry = try #require(try laptop.entries().first)
        _ = laptop.run("log split \(entry) 12:10 Second")
        let part = laptop.run("export --format csv --label Second").output
        #expect(part.contains(",Second\r\n"))
        other.put(part, at: "file")
        #expect(
            other.run("import file").messages == "focus: Added 0 entries from file; 1 was here already.\n")
    }

    @Test("a range that ends before it begins is wrong usage, also without a log")
    func backwards() {
        let export = "export --format csv --from today --to yesterday"
        #expect(laptop.run(export).status == .usage)
        work()
        let result = laptop.run(export)
        #expect(result.status == .usage)
        #expect(result.output == "")
    }
}
