import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("focus status")
struct StatusCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    @Test("before the first press it shows that nothing runs, and makes no files")
    func nothingYet() throws {
        #expect(laptop.run("").output == "Work  25:00  (stopped)\n")
        #expect(laptop.run("status --format {clock}").output == "25:00\n")
        let json = try JSON(parsing: laptop.run("status --json").output.utf8)
        #expect(json["device"] == .string("laptop"))
        #expect(json["group"] == .null)
        #expect(home.files == [])
        #expect(laptop.notifications == 0)
    }

    @Test(
        "a log that is far ahead of the laptop's clock is said to be, with each press and where people look")
    func aheadOfTheClock() {
        // An hour more than 365 days.
        let year: Duration = (365 * 24 + 1) * 3_600_000
        laptop.set { $0.wall += year }
        _ = laptop.run("start Early")
        laptop.pass(.seconds(60))
        #expect(laptop.run("stop").messages == "")
        laptop.set { $0.wall -= year }
        let notice = """
            focus: 4 changes lie up to 365 days ahead of now, and count once that time has come. If this laptop's clock \
            is behind, set it. If a clock was ahead, 'focus clock accept' brings them back to now.

            """
        let press = laptop.run("start Now")
        #expect(press == .init(status: .done, output: "Work  25:00  Now\n", messages: notice))
        laptop.pass(.seconds(60))
        #expect(laptop.run("status") == .init(status: .done, output: "Work  24:00  Now\n", messages: notice))
        #expect(laptop.run("set dailyGoal=3").messages == notice)
        for words in ["status --json", "status --format {clock}", "log", "export"] {
            #expect(laptop.run(words).messages == "", "\(words)")
        }
        laptop.set { $0.wall += year - 120_000 }
        #expect(laptop.run("status").messages == "")
    }

    @Test("as JSON it has the fields of replay, less the history, and how this laptop stands to the others")
    func json() throws {
        _ = laptop.run("start Write")
        laptop.pass(.seconds(60))
        let json = try JSON(parsing: laptop.run("status --json").output.utf8)
        guard case .object(let members) = json else { return #expect(Bool(false), "no object") }
        #expect(
            members.map(\.name) == [
                "now", "status", "activity", "statusLabel", "mainButton", "stopShown", "theme", "remainingMs",
                "clock", "addedMs", "run", "ordinal", "endsAt", "completedCycles", "label", "settings",
                "sideRuns",
                "devices", "device", "group", "sync", "online", "events", "unknown",
            ])
        #expect(json["now"] == .integer(1_763_661_660_000))
        #expect(json["run"] == .string("1763661600000.2@000000000000000a"))
        #expect(json["devices"]?["000000000000000a"] == .string("laptop"))
        #expect(json["sync"]?.description == #"{"state":"offline","pending":0,"offsetMs":0,"lastSync":null}"#)
        #expect(json["online"] == .array([]))
        #expect(json["events"] == .integer(3))
    }

    @Test("what the agent noted of the connection is shown until it is stale")
    func link() throws {
        _ = laptop.run("start")
        let device = try Device(laptop.machine)
        let key = Digest(InlineArray(repeating: 0xAB))
        try device.store.setDeviceKey(key)
        _ = try device.perform(.nameDevice("desk"))
        try device.recordHeard()
        try device.record(ServerLink(.online, online: [key, Digest(InlineArray(repeating: 0))]))
        func status() throws -> JSON {
            try JSON(parsing: laptop.run("status --json").output.utf8)
        }
        laptop.pass(.seconds(30))
        var json = try status()
        #expect(json["sync"]?["state"] == .string("online"))
        #expect(json["sync"]?["lastSync"] == .integer(1_763_661_600_000))
        #expect(json["online"] == .array([.string("00000000"), .string("desk")]))
        laptop.pass(.seconds(60))
        json = try status()
        #expect(json["sync"]?["state"] == .string("offline"))
        #expect(json["online"] == .array([]))
    }
}
