import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("focus log")
struct LogCommandTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_677_800_000)

    init() {
        BerlinTime.set()
        // Thursday, 20 November 2025, 23:30 in Berlin.
    }

    @Test("an empty history says so")
    func empty() {
        #expect(
            laptop.run("log")
                == .init(status: .done, output: "", messages: "focus: The history is empty.\n"))
        #expect(
            laptop.run("log --json").output == "{\"now\":1763677800000,\"days\":[],\"history\":[]}\n")
    }

    @Test("records are listed on the day they began, and focus time counts on the day it was spent")
    func days() throws {
        laptop.play(("start Write", 1500), ("skip", 720), ("pause", 60), ("resume", 780))
        let handles = try laptop.entries().map { String($0.prefix(6)) }
        #expect(
            laptop.run("log").output == """
                Thu 20 Nov 2025: 30m of focus time, 2 of 8 work phases
                  \(handles[0])  23:30-23:55  25m      work         completed  Write
                  \(handles[1])  23:55-00:21  25m      work         completed  Write

                Fri 21 Nov 2025: 20m of focus time, 0 of 8 work phases

                """)
        // The goal is for all work.
        #expect(
            laptop.run("log --label Write").output.hasPrefix(
                "Thu 20 Nov 2025: 30m of focus time, 2 work phases\n"))
        let json = try JSON(parsing: laptop.run("log --json").output.utf8)
        #expect(
            json["days"]?.description == """
                [{"date":"2025-11-20","focusMs":1800000,"completed":2},\
                {"date":"2025-11-21","focusMs":1200000,"completed":0}]
                """)
    }

    @Test("JSON has the laptop of each entry, and a terminal that of the group's other laptops")
    func laptops() throws {
        let home = TemporaryHome()
        let terminal = TestContext(
            home: home.path, now: 1_763_677_800_000, screen: TestContext.Screen(isTerminal: true))
        let device = try Device(terminal.machine)
        try device.enterGroup()
        terminal.play(("start", 60), ("stop", 60))
        try device.merge(.start(Action.Start()), on: "work", at: device.now())
        #expect(terminal.run("log").messages.contains("The phase in progress isn't among these yet."))
        let run = try #require(try device.store.state().current?.id)
        terminal.pass(.seconds(60))
        try device.merge(.stop(run, at: nil), by: 0x21, seq: 3, at: device.now())
        let lines = terminal.run("log").output.split(separator: "\n")
        #expect(lines.map { $0.hasSuffix("  stopped  on work") } == [false, false, true])
        #expect(try terminal.textFields("device") == ["laptop", "work"])
        let file = TestContext(home: home.path, now: 1_763_678_100_000)
        #expect(!file.run("log").output.contains("on work"))
    }

    @Test("completed work that others cover doesn't count, and a terminal shows that")
    func uncounted() {
        let terminal = TestContext(
            folder: TemporaryHome(), now: 1_763_677_800_000, screen: TestContext.Screen(isTerminal: true))
        _ = terminal.run("log add Write --from 9:00 --for 25m")
        #expect(
            terminal.run("log add Mail --from 9:05 --for 15m").messages.contains(
                "More than half of that entry is covered"))
        let lines = terminal.run("log").output.split(separator: "\n")
        #expect(lines.first?.hasSuffix("1 of 8 work phases") == true)
        #expect(lines.map { $0.hasSuffix("  not counted") } == [false, true, false])
        #expect(terminal.run("log --label Write").output.contains("1 work phase\n"))
        #expect(!terminal.run("log --label Write").output.contains("not counted"))
    }

    /// Works for half an hour at noon on each of ten days, today included, under two labels in turn.
    private func workForTenDays() {
        for day in 11...20 {
            _ = laptop.run([
                "log", "add", day % 2 == 0 ? "Write" : "Read", "--from", "2025-11-\(day) 12:00", "--for",
                "30m",
            ])
        }
    }

    private func days(_ words: String) throws -> [String] {
        let json = try JSON(parsing: laptop.run("log --json \(words)").output.utf8)
        guard case .array(let days)? = json["days"] else { return [] }
        return days.compactMap { day in
            if case .string(let date)? = day["date"] { String(date.suffix(2)) } else { nil }
        }
    }

    @Test("days can be chosen, weeks beginning on Monday")
    func ranges() throws {
        workForTenDays()
        #expect(try days("--today") == ["20"])
        #expect(try days("--week") == ["17", "18", "19", "20"])
        #expect(try days("--from yesterday") == ["19", "20"])
        #expect(try days("--to 2025-11-12") == ["11", "12"])
        #expect(try days("--from 2025-W46 --to 2025-W46") == ["11", "12", "13", "14", "15", "16"])
        #expect(try days("--from 2025-11-12 --to 2025-11-13") == ["12", "13"])
        let reversed = laptop.run("log --from today --to yesterday")
        #expect(reversed.status == .usage)
    }

    @Test("a label, also the empty one, can be chosen together with days")
    func labels() throws {
        workForTenDays()
        _ = laptop.run("log add --from 13:00 --for 10m")
        #expect(try days("--label Read") == ["11", "13", "15", "17", "19"])
        #expect(try days("--label Read --week") == ["17", "19"])
        let json = try JSON(parsing: laptop.run(["log", "--json", "--label", ""]).output.utf8)
        #expect(json["days"]?.description == "[{\"date\":\"2025-11-20\",\"focusMs\":600000,\"completed\":1}]")
        #expect(
            laptop.run("log --label Sing")
                == .init(status: .done, output: "", messages: "focus: Nothing in the history matches.\n"))
    }
}
