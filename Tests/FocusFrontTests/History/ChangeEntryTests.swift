import ClientSupport
import CommandLineKit
import FocusCore
import FocusFront
import TestSupport
import Testing

@testable import FocusClient

@Suite("Saying when an entry of the history was")
struct ChangeEntryTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_677_800_000)

    init() {
        BerlinTime.set()
        // Thursday, 20 November 2025, 23:30 in Berlin.
        _ = laptop.run("log add Report --from 9:00 --to 10:00")
    }

    private func entry(_ other: TestContext? = nil) throws -> String {
        String(try #require(try (other ?? laptop).entries().first).prefix(6))
    }

    private var lines: [String] { lines(laptop) }

    /// Returns the lines of the history, without their handles.
    private func lines(_ laptop: TestContext) -> [String] {
        laptop.run("log").output.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .map { String($0.dropFirst(10)) }
    }

    @Test("it is moved, made longer and shorter, and undo takes each back")
    func times() throws {
        let entry = try entry()
        for (words, line) in [
            ("move \(entry) 12:30", "12:30-13:30  1h       work         completed  Report"),
            ("resize \(entry) --for 25m", "12:30-12:55  25m      work         completed  Report"),
            ("resize \(entry) --to 13:00", "12:30-13:00  30m      work         completed  Report"),
            ("resize \(entry) --from 12:45", "12:45-13:00  15m      work         completed  Report"),
            ("resize \(entry) --from 8:00 --to 8:10", "08:00-08:10  10m      work         completed  Report"),
        ] {
            let result = laptop.run("log \(words)")
            #expect(result.status == .done, "\(result)")
            #expect(result.output == "Thu 20 Nov 2025  \(entry)  \(line)\n")
            #expect(lines == [line])
        }
        for _ in 0..<5 { #expect(laptop.run("undo").messages.contains("the change of an entry's times")) }
        #expect(lines == ["09:00-10:00  1h       work         completed  Report"])
    }

    @Test("a time alone is of the day that the entry is of, and its pauses move with it")
    func yesterday() throws {
        // Wednesday, 20:30.
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_580_600_000)
        laptop.play(("start Talk", 600), ("pause", 600), ("resume", 900), ("stop", 86_400))
        let entry = try entry(laptop)
        var lines: [String] { self.lines(laptop) }
        #expect(lines == ["20:30-21:05  25m      work         completed  Talk"])
        #expect(laptop.run("log move \(entry) 8:15").status == .done)
        #expect(lines == ["08:15-08:50  25m      work         completed  Talk"])
        #expect(laptop.run("log").output.hasPrefix("Wed 19 Nov 2025"))
        // After its pause, the entry runs again from 8:35 on.
        #expect(laptop.run("log resize \(entry) --for 15m").status == .done)
        #expect(lines == ["08:15-08:40  15m      work         completed  Talk"])
        // This is all the time before the pause, so the entry ends when the pause begins.
        #expect(laptop.run("log resize \(entry) --for 10m").status == .done)
        #expect(lines == ["08:15-08:25  10m      work         completed  Talk"])
        _ = laptop.run("undo")
        #expect(laptop.run("log resize \(entry) --for 20m").status == .done)
        #expect(lines == ["08:15-08:45  20m      work         completed  Talk"])
    }

    @Test("of an entry over midnight, a beginning that lies within it is of the day after")
    func overMidnight() throws {
        _ = laptop.run(["log", "add", "Night", "--from", "2025-11-19 23:50", "--to", "2025-11-20 0:20"])
        let entry = try entry()
        let shorter = "Thu 20 Nov 2025  \(entry)  00:05-00:20  15m      work         completed  Night\n"
        for words in ["--from 0:05", "--from 0:05 --to 0:20"] {
            #expect(laptop.run("log resize \(entry) \(words)").output == shorter)
            _ = laptop.run("undo")
        }
        // A time before the entry's beginning, or after its end, is on the day of the entry.
        for (words, times) in [("--from 23:40", "23:40-00:20"), ("--from 0:30 --to 0:40", "00:30-00:40")] {
            let output = laptop.run("log resize \(entry) \(words)").output
            #expect(output.hasPrefix("Wed 19 Nov 2025  \(entry)  \(times)"), "\(output)")
            _ = laptop.run("undo")
        }
    }

    @Test("a time that comes twice as clocks go back is the entry's own where that is shown so")
    func twice() throws {
        for hours in [1, 2] {
            let laptop = TestContext(folder: TemporaryHome(), now: 1_763_677_800_000)
            let day = "2025-10-26T02"
            _ = laptop.run("log add Night --from \(day):10:00+0\(hours):00 --to \(day):40:00+0\(hours):00")
            let entry = try entry(laptop)
            #expect(laptop.run("log resize \(entry) --from 2:10 --to 2:40").status == .notNow)
            #expect(laptop.run("log resize \(entry) --from 2:10 --to 3:00").status == .done)
            #expect(
                lines(laptop) == [
                    "02:10-03:00  \(hours == 1 ? "50m    " : "1h50m  ")  work         completed  Night"
                ])
            #expect(laptop.run("log resize \(entry) --from 2:20").messages.contains("comes twice here"))
        }
    }

    @Test("it is split in two, of which the longer one stays completed, and undo makes one of them again")
    func splitting() throws {
        let entry = try entry()
        let result = laptop.run("log split \(entry) 9:40 Mail")
        #expect(result.status == .done)
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(
            lines == [
                "09:00-09:40  40m      work         completed  Report",
                "09:40-10:00  20m      work         stopped    Mail",
            ])
        let second = try #require(try laptop.entries().first { !$0.hasPrefix(entry) })
        #expect(laptop.run("log label \(second.prefix(6)) Letters").status == .done)
        #expect(laptop.run("log split \(second.prefix(6)) 9:50").status == .done)
        #expect(lines.count == 3)
        #expect(
            laptop.run("undo").messages
                == "focus: Took back the splitting of an entry (just now): Thu 20 Nov 2025, 09:40-10:00, work, Letters.\n"
        )
        _ = laptop.run("undo")
        _ = laptop.run("undo")
        #expect(lines == ["09:00-10:00  1h       work         completed  Report"])
    }

    @Test("the second one has the label that the first one shows, even if that was corrected")
    func splitRelabelled() throws {
        let entry = try entry()
        #expect(laptop.run("log label \(entry) Letters").status == .done)
        #expect(laptop.run("log split \(entry) 9:40").status == .done)
        #expect(lines.allSatisfy { $0.hasSuffix("Letters") } && lines.count == 2)
    }

    @Test("the lengths that are shown of both parts add up to what was shown of the whole")
    func splitLengths() throws {
        for start in [1_763_661_600_000, 1_763_661_601_877, 1_763_661_620_500, 1_763_661_659_999]
            as [SharedInstant]
        {
            let laptop = TestContext(folder: TemporaryHome(), now: start)
            laptop.play(("start Report", 310), ("pause", 213), ("resume", 1185), ("stop", 0))
            let entry = try entry(laptop)
            #expect(lines(laptop).first?.contains("  24m  ") == true)
            #expect(laptop.run("log split \(entry) 19:18 Mail").status == .done)
            let shown = lines(laptop).map { $0.split(separator: " ")[1] }
            let lengths = try shown.map { try #require(DurationText.duration(in: $0)) }
            #expect(lengths.count == 2 && lengths.reduce(.zero, +) == .seconds(24 * 60), "\(shown)")
            #expect(lines(laptop).allSatisfy { $0.contains("19:18") })
        }
    }

    @Test("what it overlaps with then is said, less what it is itself")
    func overlapping() throws {
        let entry = try entry()
        _ = laptop.run("log add Mail --from 10:00 --for 20m")
        let mail = try #require(try laptop.entries().first { !$0.hasPrefix(entry) }).prefix(6)
        #expect(laptop.run("log resize \(entry) --to 10:00 --from 9:30").messages == "")
        #expect(
            laptop.run("log move \(entry) 9:45").messages
                == "focus: It overlaps with the entry of Thu 20 Nov 2025, 10:00-10:20, work, Mail (\(mail)). "
                + "Focus time in both counts once. More than half of that entry is covered, so it doesn't "
                + "count as completed.\n")
        #expect(
            laptop.run("log move \(entry) 9:40").messages.hasSuffix("Focus time in both counts once.\n"))
    }

    @Test(
        "what can't have been is refused, and changes nothing",
        arguments: [
            ("move ENTRY 9:00", "It is already at that time.", CommandLineKit.ExitStatus.notNow),
            (
                "move ENTRY 23:00", "That ends in the future: the history has only what is over.",
                .notNow
            ),
            (
                "resize ENTRY --to 8:00",
                "It would end on Thu 20 Nov 2025, 08:00, which isn't after its beginning on Thu 20 Nov 2025, 09:00.",
                .usage
            ),
            ("split ENTRY 10:00", "The entry runs from 09:00 to 10:00: say a time in between.", .usage),
            ("split ENTRY 8:00", "The entry runs from 09:00 to 10:00: say a time in between.", .usage),
            (
                "resize ENTRY",
                "Give its new times with --from and --to, or its length with --for.\nSee 'focus log resize --help'.",
                .usage
            ),
            (
                "resize ENTRY --for 5m --to 9:30",
                "Only one of --for, and --from and --to can be given.\nSee 'focus log resize --help'.", .usage
            ),
            (
                "move zzz 9:30",
                "The history has no entry 'zzz'. 'focus log' shows what its entries are called.", .failed
            ),
        ] as [(String, String, CommandLineKit.ExitStatus)])
    func refused(words: String, message: String, status: CommandLineKit.ExitStatus) throws {
        let result = laptop.run("log \(words.replacing("ENTRY", with: try entry()))")
        #expect(result.messages == "focus: \(message)\n")
        #expect(result.status == status)
        #expect(lines == ["09:00-10:00  1h       work         completed  Report"])
    }

    @Test("a line that is typed says when an entry was")
    func typed() throws {
        let clock = { (hour: Int64, minute: Int64) in TimeWord.today(.seconds((hour * 60 + minute) * 60)) }
        #expect(try EntryChange(times: "9:30-10:15") == .between(clock(9, 30), clock(10, 15)))
        #expect(try EntryChange(times: " 9:30 ") == .move(clock(9, 30)))
        #expect(try EntryChange(times: "45m") == .length(.seconds(2_700)))
        #expect(try EntryChange(split: "9:30  the letters") == .split(clock(9, 30), label: "the letters"))
        #expect(try EntryChange(split: "9:30") == .split(clock(9, 30), label: nil))
        for line in ["", "blah", "9:30 10:15", "2025-11-20 45m", "2025-11-20", "48h"] {
            #expect(throws: ValueProblem.self, "\(line)") { try EntryChange(times: line) }
        }
        for line in ["", "Mail", "45m Mail", "2025-11-20"] {
            #expect(throws: ValueProblem.self, "\(line)") { try EntryChange(split: line) }
        }
    }
}
