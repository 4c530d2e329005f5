import ClientSupport
import CommandLineKit
import FocusClient
import FocusText
import TestSupport
import Testing

@Suite("focus replay")
struct ReplayCommandTests {
    private let start = """
        {"replica":"9f2c6a1b00d4e7aa","seq":1,"ms":1763661600000,"counter":0,"action":"start","label":"Write"}
        """
    private let pause = """
        {"replica":"9f2c6a1b00d4e7aa","seq":2,"ms":1763661900000,"counter":0,"action":"pause",\
        "run":"1763661600000.0@9f2c6a1b00d4e7aa"}
        """

    init() { BerlinTime.set() }

    @Test("the state is the same from one file and from its parts in any order")
    func state() {
        for files in [["all"], ["second", "first"], ["first", "all", "-"]] {
            let world = TestContext(files: [
                "all": "\(start)\n\(pause)\n", "first": start, "second": "\n\(pause)\r\n", "-": "",
            ])
            let status = FocusProgram.run(
                ["replay"] + files + ["--at", "1763661960000"], in: world.context)
            #expect(status == .done)
            #expect(
                world.output
                    == "Work paused  20:00  would end 19:26  Write\n2 events, 0 records in the history\n")
            #expect(world.messages == "")
        }
    }

    @Test("without --at the state is that of now")
    func now() {
        let world = TestContext(files: ["log": start], now: 1_763_661_660_000)
        #expect(
            FocusProgram.run(["replay", "log"], in: world.context) == .done)
        #expect(world.output.hasPrefix("Work  24:00  until 19:25  Write\n"))
    }

    @Test("--until leaves out later events, and keeps events of that very instant")
    func until() throws {
        for (until, events) in [("1763661899999", "1"), ("1763661900000", "2"), ("0", "0")] {
            let world = TestContext(files: ["log": "\(start)\n\(pause)"])
            let words = ["replay", "log", "--json", "--at=1763661960000", "--until", until]
            #expect(FocusProgram.run(words, in: world.context) == .done)
            let json = try JSON(parsing: world.output.utf8)
            #expect(json["events"] == .number(events))
        }
    }

    @Test("a bad line is named by file and number")
    func badLine() {
        let world = TestContext(files: ["log": "\(start)\n\n{}\n"])
        #expect(FocusProgram.run(["replay", "log"], in: world.context) == .failed)
        #expect(world.output == "")
        #expect(world.messages == "focus: log, line 3: \"replica\" is missing.\n")
    }

    @Test("files that don't go into one log are refused, and the event is named")
    func conflict() {
        let other = start.replacing("Write", with: "Read")
        let world = TestContext(files: ["log": start, "other": other])
        #expect(FocusProgram.run(["replay", "log", "other"], in: world.context) == .failed)
        #expect(
            world.messages == """
                focus: other can't be merged with the others: two different events are \
                9f2c6a1b00d4e7aa/1.

                """)
    }

    @Test("a file that isn't there is named, with the system's reason")
    func missing() {
        let world = TestContext()
        #expect(FocusProgram.run(["replay", "log"], in: world.context) == .failed)
        #expect(world.messages == "focus: log can't be opened: No such file or directory.\n")
    }

    @Test("wrong usage is exit status 2, and says where to read more")
    func usage() {
        let world = TestContext()
        #expect(FocusProgram.run(["replay"], in: world.context) == .usage)
        #expect(world.messages == "focus: FILE is missing.\nSee 'focus replay --help'.\n")
        #expect(world.output == "")
    }
}
