import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("Correcting the history")
struct EntryCommandTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_677_800_000)

    init() {
        BerlinTime.set()
        // Thursday, 20 November 2025, 23:30 in Berlin.
    }

    /// The lines of the history, without their handles.
    private var lines: [String] {
        laptop.run("log").output.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .map { String($0.dropFirst(10)) }
    }

    private func handle(_ index: Int = 0) throws -> String { String(try laptop.entries()[index].prefix(6)) }

    @Test("an added entry is shown and announced")
    func add() throws {
        let result = laptop.run(["log", "add", " Write\n", "--from", "9:05", "--to", "09:30"])
        #expect(
            result.output
                == "Thu 20 Nov 2025  \(try handle())  09:05-09:30  25m      work         completed  Write\n")
        #expect(result.status == .done)
        #expect(laptop.notifications == 1)
        _ = laptop.run("log add --for 5m --activity shortBreak")
        _ = laptop.run("log add --to 12:00 --for 1h")
        _ = laptop.run("log add --from 2025-11-19T23:50:00Z --for 20m")
        #expect(
            lines == [
                "00:50-01:10  20m      work         completed",
                "09:05-09:30  25m      work         completed  Write",
                "11:00-12:00  1h       work         completed",
                "23:25-23:30  5m       short break  completed",
            ])
    }

    @Test("shell completion offers the entries' handles, and the used labels, the most recent first")
    func completion() throws {
        #expect(laptop.run(["complete", "--", "log", "remove", ""]).output == "words\n")
        for label in ["Write", "Read", "Write"] { laptop.play(("log add \(label) --for 5m", 300)) }
        let handles = try [handle(0), handle(1), handle(2)].sorted()
        let offered = { (words: [String]) in
            laptop.run(["complete", "--"] + words).output.split(separator: "\n").dropFirst().map {
                $0.split(separator: "\t").first.map(String.init) ?? ""
            }
        }
        #expect(offered(["log", "remove", ""]) == handles)
        #expect(offered(["log", "label", ""]) == handles)
        #expect(offered(["log", "--label", ""]) == ["Write", "Read"])
        for words in [["start"], ["label"], ["log", "label", handles[0]]] {
            #expect(offered(words + [""]) == ["Write", "Read"], "\(words)")
        }
    }

    @Test(
        "undo and redo work on an added entry, and undo takes a later press of the timer first"
    )
    func undoAdd() {
        _ = laptop.run("log add Write --from 9:00 --for 25m")
        #expect(laptop.run("undo").messages == "focus: Took back the entry 'Write' (just now).\n")
        #expect(lines == [])
        _ = laptop.run("redo")
        #expect(lines == ["09:00-09:25  25m      work         completed  Write"])
        laptop.pass(.seconds(60))
        _ = laptop.run("start")
        #expect(laptop.run("undo").messages.contains("Took back the start"))
        #expect(laptop.run("undo").messages == "focus: Took back the entry 'Write' (1m ago).\n")
        #expect(laptop.run("undo").status == .notNow)
    }

    @Test("an entry is relabelled by an unambiguous beginning of its handle, and undo restores the label")
    func relabel() throws {
        laptop.play(("start Write", 1500), ("skip", 0))
        let result = laptop.run(["log", "label", try handle().uppercased(), " Read\t "])
        #expect(result.output.hasSuffix("work         completed  Read\n"))
        #expect(lines == ["23:30-23:55  25m      work         completed  Read"])
        #expect(laptop.run(["log", "label", try handle(), "a\nb\tc"]).output.hasSuffix("  a b c\n"))
        _ = laptop.run("undo")
        _ = laptop.run(["log", "label", String(try handle().prefix(1)), ""])
        #expect(lines == ["23:30-23:55  25m      work         completed"])
        let entry = "Thu 20 Nov 2025, 23:30-23:55, work"
        #expect(
            laptop.run("undo").messages
                == "focus: Took back the empty label of an entry (just now): \(entry), Read.\n")
        #expect(
            laptop.run("undo").messages
                == "focus: Took back the label 'Read' of an entry (just now): \(entry), Write.\n")
        #expect(lines == ["23:30-23:55  25m      work         completed  Write"])
    }

    @Test("a removed entry is brought back by undo")
    func remove() throws {
        _ = laptop.run("log add Write --from 9:00 --for 25m")
        let handle = try handle()
        #expect(
            laptop.run("log remove \(handle)")
                == .init(
                    status: .done, output: "",
                    messages:
                        "focus: Removed from the history: Thu 20 Nov 2025  \(handle)  09:00-09:25  25m      "
                        + "work         completed  Write\n'focus undo' brings it back.\n"))
        #expect(lines == [])
        #expect(laptop.run("log remove \(handle)").status == .failed)
        #expect(
            laptop.run("undo").messages
                == "focus: Took back the removal of an entry (just now): Thu 20 Nov 2025, 09:00-09:25, work, Write.\n"
        )
        #expect(lines.count == 1)
        #expect(try self.handle() == handle)
    }

    @Test("a removed entry can be added again")
    func addAgain() throws {
        for _ in 0..<2 {
            _ = laptop.run("log add Write --from 9:00 --for 25m")
            #expect(lines.count == 1)
            _ = laptop.run("log remove \(try handle())")
            #expect(lines == [])
        }
    }

    @Test("a second entry of the same activity and times is refused, and the first is shown")
    func twice() throws {
        _ = laptop.run("log add Write --from 9:00 --for 25m")
        let result = laptop.run("log add Read --from 9:00 --to 9:25")
        #expect(result.status == .notNow)
        #expect(
            result.messages
                == "focus: The history has an entry of these times already, and 'focus log label \(try handle()) "
                + "TEXT' gives it another label: Thu 20 Nov 2025  \(try handle())  09:00-09:25  25m      "
                + "work         completed  Write\n")
        #expect(laptop.run("log add --from 9:00 --to 9:25 --activity shortBreak").status == .done)
    }

    @Test("an overlapping entry is added, and the first entry that it overlaps with is named")
    func overlapping() throws {
        #expect(laptop.run("log add Write --from 9:00 --for 25m").messages == "")
        #expect(laptop.run("log add Read --from 9:25 --for 30m").messages == "")
        let handle = try handle()
        let result = laptop.run("log add Mail --from 9:20 --to 9:25")
        #expect(result.status == .done)
        #expect(
            result.messages
                == "focus: It is in the history, and overlaps with the entry of Thu 20 Nov 2025, 09:00-09:25, work, "
                + "Write (\(handle)). Focus time in both counts once. More than half of it is covered, so it "
                + "doesn't count as completed.\n")
        #expect(
            laptop.run("log add --from 9:24 --to 9:26 --activity shortBreak").messages.hasSuffix(
                "work, Write (\(handle)), and with 2 more.\n"), "a break has no focus time")
        #expect(lines.count == 4)
    }

    @Test("an entry within a phase's pause overlaps with nothing")
    func paused() {
        laptop.play(("start Write", 600), ("pause", 1200), ("resume", 900))
        #expect(laptop.run("log add Call --from 2025-11-20T23:41 --for 15m").messages == "")
        #expect(laptop.run("log add --from 2025-11-20T23:35 --for 5m").messages.contains("work, Write ("))
    }

    @Test("an entry that two processes add at once is added once")
    func twoProcesses() throws {
        let phase = try PastPhase(
            .work, Interval(from: 1_763_640_000_000, to: 1_763_641_500_000), label: "Write")
        // Both processes have read the history and found no such entry before either of them writes.
        let devices = [try Device(laptop.machine), try Device(laptop.machine)]
        for device in devices { #expect(try device.store.history().state.eventCount == 0) }
        _ = try devices[0].perform(.add(phase))
        let line = try #require(laptop.run("log").output.split(separator: "\n").last).dropFirst(2)
        let handle = String(line.prefix { $0 != " " })
        let (state, journal) = try devices[0].store.history()
        let history = History(journal, state, at: try devices[0].now())
        let record = try #require(history.records.first { $0.startedAt == phase.interval.from })
        #expect(throws: PerformFailure.duplicate(record, handle: handle)) {
            _ = try devices[1].perform(.add(phase))
        }
        #expect(lines.count == 1)
    }

    @Test(
        "an impossible entry is refused with the reason",
        arguments: [
            (
                "--from 23:40 --for 5m",
                "That ends in the future: the history has only what is over."
            ),
            (
                "--from 10:00 --to 9:00",
                "It would end on Thu 20 Nov 2025, 09:00, which isn't after its beginning on "
                    + "Thu 20 Nov 2025, 10:00."
            ),
            (
                "--from 2025-11-18T10:00 --to 2025-11-19T10:01",
                "From Tue 18 Nov 2025, 10:00 to Wed 19 Nov 2025, 10:01 is longer than 24 hours, the most that "
                    + "an entry can take."
            ),
            ("--from 1969-12-31T10:00 --for 5m", "An entry can't begin before 1970."),
            (
                "--from 2025-10-26T02:30 --for 5m",
                "Sun 26 Oct 2025, 02:30 comes twice here, because the clocks go back: write 2025-10-26T02:30:00+02:00 or "
                    + "2025-10-26T02:30:00+01:00."
            ),
            (
                "--from 2025-03-30T02:30 --for 5m",
                "There is no Sun 30 Mar 2025, 02:30 here: the clocks go forward over it."
            ),
        ])
    func impossible(words: String, message: String) {
        let result = laptop.run("log add \(words)")
        #expect(result.messages == "focus: \(message)\n")
        #expect(result.status != .done)
        #expect(laptop.run("export").output == "")
    }

    @Test(
        "an end before the beginning by the clock is on the next day, and 24:00 is the end of a day",
        arguments: [
            ("--from 23:50 --to 00:10", "23:50-00:10  20m"), ("--from 23:50 --to 24:00", "23:50-00:00  10m"),
            ("--from 22:00 --to 6:00", "22:00-06:00  8h"), ("--to 24:00 --for 20m", "23:40-00:00  20m"),
            ("--from 24:00 --for 20m", "00:00-00:20  20m"), ("--from 24:00 --to 0:20", "00:00-00:20  20m"),
            ("--from 2025-11-19T23:50 --to 2025-11-19T24:00", "23:50-00:00  10m"),
        ])
    func overMidnight(words: String, line: String) {
        #expect(laptop.run("log add Night \(words)").status == .done)
        #expect(lines.count == 1 && lines.first?.hasPrefix(line) == true, "\(lines)")
    }

    @Test(
        "times that are probably in the wrong order are refused",
        arguments: ["--from 10:00 --to 9:00", "--from 9:00 --to 9:00"])
    func backwards(words: String) { #expect(laptop.run("log add \(words)").status == .usage) }

    @Test("an ambiguous handle shows the matching entries")
    func several() throws {
        for minute in 0..<40 { _ = laptop.run("log add --from 10:\(minute + 10) --for 1m") }
        let entries = try laptop.entries()
        let first = try #require(entries.first { one in entries.count { $0.first == one.first } > 1 })
        let result = laptop.run("log remove \(first.prefix(1))")
        #expect(result.status == .failed)
        #expect(
            result.messages.contains(
                "entries begin with '\(first.prefix(1))': type more of it.\n  Thu 20 Nov")
        )
        #expect(try laptop.entries().count == 40)
    }
}
