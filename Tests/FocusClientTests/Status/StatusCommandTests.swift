import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("focus status")
struct StatusCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() {
        BerlinTime.set()
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
    }

    /// Returns this laptop in a group. It is connected, has heard from its server at 19:00 in Berlin, and has
    /// three pending changes.
    private func member() throws -> Device {
        _ = laptop.run("start")
        let device = try Device(laptop.machine)
        try device.enterGroup(epoch: 0xE)
        try device.recordContact()
        try device.record(ConnectionState(.online))
        return device
    }

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
        "early events are reported with each press and in the status for people")
    func aheadOfTheClock() {
        // One hour more than 365 days.
        let year: Duration = (365 * 24 + 1) * 3_600_000
        laptop.set { $0.wall += year }
        laptop.play(("start Early", 60))
        #expect(laptop.run("stop").messages.hasPrefix("focus: Recorded: "))
        laptop.set { $0.wall -= year }
        let notice = """
            focus: 4 changes lie up to 365 days in the future, and count once that time has come. If this laptop's clock \
            is behind, set it. If a clock was ahead, 'focus clock accept' brings them back to now.

            """
        let press = laptop.run("start Now")
        #expect(press == .init(status: .done, output: "Work  25:00  until 19:26  Now\n", messages: notice))
        laptop.pass(.seconds(60))
        #expect(
            laptop.run("status")
                == .init(status: .done, output: "Work  24:00  until 19:26  Now\n", messages: notice))
        #expect(laptop.run("set dailyGoal=3").messages == notice)
        for words in ["status --json", "status --format {clock}", "export"] {
            #expect(laptop.run(words).messages == "", "\(words)")
        }
        #expect(laptop.run("log").messages == "focus: The history is empty.\n")
        laptop.set { $0.wall += year - 120_000 }
        #expect(laptop.run("status").messages == "")
    }

    @Test("JSON has replay's fields without the history, and the laptop's connection to the group")
    func json() throws {
        _ = laptop.run("start Write")
        laptop.pass(.seconds(60))
        let json = try JSON(parsing: laptop.run("status --json").output.utf8)
        guard case .object(let members) = json else { return #expect(Bool(false), "no object") }
        #expect(
            members.map(\.name) == [
                "now", "status", "activity", "statusLabel", "mainButton", "stopShown", "theme", "remainingMs",
                "clock", "addedMs", "overtimeMs", "run", "ordinal", "endsAt", "completedCycles", "label",
                "settings", "profiles",
                "sideRuns",
                "devices", "device", "group", "sync", "online", "lastPress", "idle", "events", "unknown",
            ])
        #expect(json["now"] == .integer(1_763_661_660_000))
        #expect(json["run"] == .string("1763661600000.2@000000000000000a"))
        #expect(json["devices"]?["000000000000000a"] == .string("laptop"))
        #expect(
            json["sync"]?.description
                == #"{"state":"offline","pending":0,"offsetMs":0,"lastSync":null,"obstacle":null}"#)
        #expect(json["online"] == .array([]))
        #expect(json["events"] == .integer(3))
    }

    @Test("another laptop's press is at the end of the line, in formats, in JSON and in bars")
    func pressElsewhere() throws {
        _ = laptop.run("start Write")
        laptop.pass(.seconds(60))
        let device = try Device(laptop.machine)
        let run = try #require(try device.store.state().current?.id)
        try device.enterGroup()
        try device.merge(.pause(run, at: nil), on: "work", at: device.now())
        laptop.pass(.seconds(120))
        #expect(
            laptop.run("status").output
                == "Work paused  24:00  would end 19:27  Write  Paused by work, 2 min ago\n")
        #expect(laptop.run("status --format {by}").output == "Paused by work, 2 min ago\n")
        var json = try JSON(parsing: laptop.run("status --json").output.utf8)
        #expect(json["lastPress"]?.description == #"{"action":"pause","by":"work","at":1763661660000}"#)
        let waybar = try JSON(parsing: laptop.run("status --bar waybar").output.utf8)
        #expect(waybar["tooltip"]?.text?.contains("\nPaused by work, 2 min ago\n") == true)
        #expect(laptop.run("resume").output == "Work  24:00  until 19:27  Write\n")
        #expect(laptop.run("status --format {by}").output == "\n")
        json = try JSON(parsing: laptop.run("status --json").output.utf8)
        #expect(json["lastPress"] == .null)
    }

    @Test("the connection that the agent recorded is shown until it is stale")
    func link() throws {
        _ = laptop.run("start")
        let device = try Device(laptop.machine)
        let key = Digest(InlineArray(repeating: 0xAB))
        try device.store.setDeviceKey(key)
        _ = try device.perform(.nameDevice("desk"))
        try device.recordContact()
        try device.record(ConnectionState(.online, online: [key, Digest(InlineArray(repeating: 0))]))
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

    @Test(
        "an offline laptop says since when, why, and how many changes wait, until it connects again"
    )
    func offline() throws {
        let device = try member()
        #expect(laptop.run("status").messages == "")
        laptop.pass(.seconds(600))
        try device.record(ConnectionState(.connecting))
        #expect(laptop.run("status").messages == "", "it may be there in a moment")
        try device.record(.unreachable)
        for state in [GroupStatus.Connection.offline, .connecting] {
            try device.record(ConnectionState(state))
            let words =
                "focus: Offline since 19:00: the server can't be reached; 3 changes wait to be sent.\n"
            #expect(laptop.run("status").messages == words, "\(state)")
        }
        let press = laptop.run("pause")
        #expect(
            press.messages
                == "focus: Offline since 19:00: the server can't be reached; 4 changes wait to be sent.\n")
        #expect(
            laptop.run(["status", "--format", "{online}|{pending}|{trouble}"]).output
                == "|4|Offline since 19:00\n")
        let json = try JSON(parsing: laptop.run("status --json").output.utf8)
        #expect(json["sync"]?["state"] == .string("offline"))
        #expect(json["sync"]?["obstacle"] == .string("unreachable"))
        let waybar = try JSON(parsing: laptop.run("status --bar waybar").output.utf8)
        guard case .string(let tooltip)? = waybar["tooltip"] else { return #expect(Bool(false)) }
        #expect(tooltip.split(separator: "Offline since").count == 2, "it says so once")
        #expect(laptop.run("status --bar tmux").output.hasSuffix(" (Offline since 19:00, 4 to send)\n"))
        laptop.pass(.seconds(24 * 3600))
        #expect(laptop.run("status").messages.hasPrefix("focus: Offline since yesterday 19:00: "))
        laptop.pass(.seconds(24 * 3600))
        #expect(laptop.run("status").messages.hasPrefix("focus: Offline since Thu 20 Nov 2025 19:00: "))
        try device.recordContact()
        try device.record(ConnectionState(.online, online: [Digest(InlineArray(repeating: 0xAB))]))
        #expect(laptop.run("status").messages == "")
        #expect(
            laptop.run(["status", "--format", "{online}|{pending}|{trouble}"]).output == "abababab|4|\n")
        #expect(!laptop.run("status --bar tmux").output.contains("("))
        laptop.pass(.seconds(11))
        #expect(
            laptop.run("status").messages
                == "focus: The server doesn't answer: 4 changes wait since 19:10.\n")
    }

    @Test("a session that ended by itself is told from one that was stopped, for a day")
    func endedByItself() {
        laptop.play(("set idleLimit=1h", 0), ("start Write", 3 * 3600))
        #expect(
            laptop.run("status").output
                == "Work  25:00  (stopped by itself at 20:00, untouched since 19:00)\n")
        laptop.pass(.seconds(24 * 3600))
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
    }

    @Test(
        "without an agent, a laptop isn't offline right after a sync, but 30 seconds later"
    )
    func withoutAgent() throws {
        let device = try member()
        try device.record(ConnectionState(.offline))
        for replica in try device.store.replicas() {
            try device.store.acknowledge(replica.id, through: replica.seq)
        }
        #expect(laptop.run("status").messages == "")
        laptop.pass(.seconds(30))
        #expect(
            laptop.run("status").messages
                == "focus: Offline since 19:00: no agent is running; nothing waits to be sent.\n")
    }

    @Test(
        "an obstacle that needs a person is reported with its remedy by each press and by status",
        arguments: ServerObstacle.allCases.filter(\.needsPerson))
    func obstacles(obstacle: ServerObstacle) throws {
        let device = try member()
        try device.record(ConnectionState(.offline))
        try device.record(obstacle)
        let words = """
            focus: Offline since 19:00: \(obstacle.reason); 3 changes wait here.
            focus: \(obstacle.sentence)

            """
        #expect(laptop.run("status").messages == words)
        #expect(laptop.run("label Named").messages == words.replacing("3 changes", with: "4 changes"))
        #expect(
            laptop.run("status --format {trouble}").output == "Offline since 19:00: \(obstacle.reason)\n")
        let waybar = try JSON(parsing: laptop.run("status --bar waybar").output.utf8)
        #expect(waybar["class"] == .array(["work", "running", "trouble"].map(JSON.string)))
        // A network failure doesn't hide the obstacle, either.
        try device.record(.unreachable)
        #expect(try device.obstacle() == obstacle)
    }

    @Test("a revoked laptop's only trouble is the revocation")
    func shutOut() throws {
        let device = try member()
        let state = try device.store.state()
        try device.record(.revoked)
        #expect(try device.troubles(state, at: device.now()) == [.revoked])
        #expect(try device.isRevoked())
    }
}
