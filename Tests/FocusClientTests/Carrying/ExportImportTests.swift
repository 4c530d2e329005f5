import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("focus export and import")
struct ExportImportTests {
    private let homes = [TemporaryHome(), TemporaryHome()]
    private let laptop: TestContext
    private let other: TestContext

    init() {
        laptop = TestContext(home: homes[0].path, now: 1_763_661_600_000)
        other = TestContext(
            home: homes[1].path, now: 1_763_661_600_000 + 7_200_000, hostName: "other", firstReplica: 0xB0)
    }

    /// Works for about an hour on the first laptop, with a pause, a label and an undo. Returns the exported
    /// log.
    private func exportedLog() -> String {
        laptop.play(
            ("set workLength=20m", 0), ("start Write", 300), ("pause", 300), ("resume", 1500), ("skip", 0),
            ("undo", 0), ("label Read", 900), ("stop", 0))
        return laptop.run("export").output
    }

    @Test("a log that is exported and imported on a laptop without one is the same log")
    func roundTrip() throws {
        let text = exportedLog()
        other.put(text, at: "log")
        let count = text.split(separator: "\n").count
        #expect(other.run("import log").messages == "focus: Merged \(count) changes.\n")
        #expect(other.run("export").output == text)
        #expect(
            other.run("import log").messages == "focus: Merged 0 changes; \(count) were here already.\n")
        func history(_ laptop: TestContext) throws -> JSON? {
            try JSON(parsing: laptop.run("log --json").output.utf8)["history"]
        }
        #expect(try history(other) == history(laptop))
    }

    @Test("a file without events changes nothing, with or without a log here", arguments: ["", "\n\n"])
    func emptyFile(text: String) {
        other.put(text, at: "log")
        let nothing = TestContext.Result(
            status: .done, output: "", messages: "focus: log is an empty log, so nothing was imported.\n")
        #expect(other.run("import log") == nothing)
        _ = other.run("start")
        let before = other.run("export").output
        #expect(other.run("import log") == nothing)
        #expect(other.run("export").output == before)
    }

    @Test("another log is imported as its history, once, with the same focus time")
    func anotherLog() throws {
        other.play(("start Other", 60))
        let before = other.run("status").output
        let text = exportedLog()
        other.put(text, at: "log")
        #expect(
            other.run("import log").messages
                == "focus: That is another log: 4 records of its history were added.\n")
        #expect(
            other.run("import log").messages
                == "focus: That is another log: 0 records of its history were added; 4 were here already.\n")
        #expect(other.run("status").output == before)
        let merged = try JSON(parsing: other.run("log --json").output.utf8)
        let own = try JSON(parsing: laptop.run("log --json").output.utf8)
        #expect(merged["days"] == own["days"])
        #expect(try other.textFields("outcome") == ["stopped", "completed", "completed", "completed"])
    }

    @Test("a byte order mark is accepted at the beginning of a log and of each joined log")
    func byteOrderMark() {
        let text = exportedLog()
        let count = text.split(separator: "\n").count
        other.put("\u{FEFF}\(text)\u{FEFF}\(text)", at: "log")
        #expect(other.run("import log").messages == "focus: Merged \(count) changes.\n")
        #expect(other.run("export").output == text)
        #expect(other.run("replay log").status == .done)
        other.put("\u{FEFF}", at: "empty")
        #expect(other.run("import empty").messages.contains("is an empty log"))
    }

    @Test("a bad line is named by file and number, and nothing is imported")
    func badLine() {
        other.put(exportedLog() + "{}\n", at: "log")
        let result = other.run("import log")
        #expect(result.status == .failed)
        #expect(
            result.messages
                == "focus: log, line 11: \"replica\" is missing. Nothing was imported.\n")
        #expect(other.run("export").output == "")
    }

    @Test("a log with a hole or with a conflicting event is refused as a whole")
    func refused() {
        let lines = exportedLog().split(separator: "\n").map(String.init)
        other.put(lines.dropFirst().joined(separator: "\n"), at: "hole")
        #expect(
            other.run("import hole").messages
                == "focus: Nothing was imported from hole: 000000000000000a/1 and maybe more is missing.\n")
        other.put(lines.joined(separator: "\n"), at: "log")
        _ = other.run("import log")
        let exported = other.run("export").output
        other.put(
            exported.replacing("\"label\":\"Write\"", with: "\"label\":\"Wrote\""), at: "parted")
        #expect(
            other.run("import parted").messages
                == "focus: Nothing was imported from parted: 000000000000000a/4 differs from the same event in this laptop's log, and only a group can keep both.\n"
        )
        other.put(lines.joined(separator: "\n") + "\n" + lines[0].replacing("laptop", with: "x"), at: "two")
        #expect(
            other.run("import two").messages
                == "focus: Nothing was imported from two: it isn't a log, two different events are 000000000000000a/1.\n"
        )
        #expect(other.run("export").output == exported)
    }

    @Test("an event one millisecond more than 2 minutes ahead is refused in another log")
    func ahead() {
        let limit = 1_763_661_600_000 + 7_200_000 + 120_000
        func line(_ time: Int) -> String {
            """
            {"replica":"000000000000000a","seq":1,"ms":\(time),"counter":0,"action":"set","key":"dailyGoal","value":3}
            """
        }
        _ = other.run("start")
        other.put(line(limit + 1), at: "log")
        let result = other.run("import log")
        #expect(result.status == .failed)
        #expect(
            result.messages == """
                focus: Nothing was imported from log: 000000000000000a/1 is more than 2 minutes in the future. If \
                this laptop's clock is behind, set it. If the other's was ahead, run 'focus clock accept' there and \
                export again.

                """)
        other.put(line(limit), at: "log")
        #expect(other.run("import log").messages.contains("That is another log"))
    }

    @Test(
        "in a group, early events of another log are brought back to now, with their lengths and order"
    )
    func aheadIntoGroup() throws {
        laptop.play(("start Past", 600), ("stop", 0))
        laptop.set { $0.wall += .seconds(86_400) }
        let begun = try Device(laptop.machine).now()
        let text = exportedLog()
        let device = try Device(other.machine)
        try device.enterGroup()
        let now = try device.now()
        other.put(text, at: "log")
        let result = other.run("import log")
        #expect(result.status == .done, "\(result.messages)")
        #expect(
            result.messages.hasPrefix("focus: That is another log: 5 records of its history were added.\n"))
        func spans(_ laptop: TestContext) throws -> [[SharedInstant]] {
            let device = try Device(laptop.machine)
            let (state, journal) = try device.store.history()
            return HistoryTransfer(journal, state, at: try device.now()).records.map {
                [$0.startedAt, $0.endedAt]
            }
        }
        let before = try spans(laptop)
        let shift = try #require(before.last?[1]) - now
        #expect(before.count == 5 && shift > .seconds(79_000))
        #expect(try spans(other) == before.map { $0[1] > begun ? $0.map { $0 - shift } : $0 })
        #expect(try device.store.earlyEvents() == nil)
        #expect(
            other.run("import log").messages.contains(" 0 records of its history were added; 5 were here"))
    }

    @Test("an early event that an undo took back neither prevents an import nor gets into the history")
    func takenBackAhead() throws {
        let now = try Device(other.machine).now()
        let (one, two) = (ReplicaID(rawValue: 0x71), ReplicaID(rawValue: 0x72))
        var script = LogScript()
        let run = script.start(now - .seconds(1800), by: one)
        let plain = script.events
        let far = script.add(.label(run, text: "Far", at: nil), now + .seconds(864_000), by: two)
        script.add(.undo(far.id), now - .seconds(60), by: one)
        func imported(_ events: [Event], on laptop: TestContext) throws -> String? {
            _ = laptop.run("log add Own --for 5m")
            laptop.put(events.map { "\(EventLine($0))\n" }.joined(), at: "log")
            let result = laptop.run("import log")
            #expect(result.status == .done, "\(result.messages)")
            return try JSON(parsing: laptop.run("log --json").output.utf8)["days"]?.description
        }
        laptop.set { $0.wall = now }
        #expect(try imported(script.events, on: other) == imported(plain, on: laptop))
    }

    @Test("a laptop without a log imports a log ahead of now, and 'clock accept' brings it back")
    func aheadAlone() {
        laptop.pass(.seconds(6 * 3600))
        let text = exportedLog()
        other.put(text, at: "log")
        let result = other.run("import log")
        #expect(result.status == .done && result.messages.contains("in the future"), "\(result.messages)")
        #expect(other.run("log").output.contains("Read") == false)
        #expect(other.run("clock accept").status == .done)
        #expect(other.run("clock").output.contains("Nothing in the log is ahead"))
        #expect(other.run("log").output.contains("Read"))
    }

    @Test("an event's epoch is exported, and import keeps it only within the group")
    func epochs() throws {
        _ = laptop.run("start")
        let device = try Device(laptop.machine)
        try device.enterGroup(epoch: 0xE)
        let text = laptop.run("export").output
        #expect(text.split(separator: "\n").allSatisfy { $0.hasSuffix(",\"epoch\":\"000000000000000e\"}") })

        // On a laptop in no group, an event written under a group's epoch loses the epoch.
        other.put(text, at: "log")
        _ = other.run("import log")
        #expect(
            other.run("export").output == text.replacing(",\"epoch\":\"000000000000000e\"", with: ""))

        let third = TestContext(home: TemporaryHome().path, files: ["log": text], now: 1_763_661_600_000)
        let member = try Device(third.machine)
        try member.enterGroup(epoch: 0xE)
        #expect(third.run("import log").messages == "focus: Merged 3 changes.\n")
        #expect(third.run("export").output == text)
    }

    @Test("an unknown action is exported raw and imported unchanged")
    func raw() throws {
        let device = try Device(laptop.machine)
        _ = try device.store.author(now: 1_763_661_600_000) { try $0.write(.unknown(.encoded([200, 1]))) }
        let text = laptop.run("export").output
        #expect(text.contains("\"raw\":\"yAE=\""))
        other.put(text, at: "log")
        _ = other.run("import log")
        #expect(other.run("export").output == text)
    }
}
