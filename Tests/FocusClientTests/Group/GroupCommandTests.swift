import CommandLineKit
import FocusClient
import FocusCore
import FocusSeal
import FocusStore
import FocusText
import Foundation
import Testing

@Suite("Devices and groups")
struct GroupCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let keys = [
        String(repeating: "aa", count: 32), String(repeating: "bb", count: 32),
    ]

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    /// Puts the device into a group with another that has been two replicas, and one that was revoked.
    private func enterGroup() throws -> Device {
        let device = try Device(laptop.context)
        try device.store.setText(keys[0], for: .deviceKey)
        try device.store.enter(
            GroupID(high: 1, low: 2), StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil))
        let events = [(0x21, "shelf"), (0x22, "desk")].compactMap { replica, name -> StoredEvent? in
            guard let stamp = Stamp(milliseconds: 1_763_661_000_000 + Int64(replica), counter: 0) else {
                return nil
            }
            let id = ReplicaID(rawValue: UInt64(replica))
            let action = Action.device(name: name, key: keys[1])
            return StoredEvent(
                Event(replica: id, seq: 1, stamp: stamp, action: action), epoch: EpochID(rawValue: 1))
        }
        _ = try device.store.merge(events, acknowledged: true)
        return device
    }

    @Test("before the first press there is this laptop")
    func alone() {
        #expect(laptop.run("devices").output == "laptop  this laptop, no press yet\n")
        #expect(home.files == [])
    }

    @Test("a device that has been several replicas is one, by its newest name")
    func list() throws {
        let device = try enterGroup()
        try device.note(ServerLink(.online, online: keys))
        _ = laptop.run("start")
        laptop.pass(.seconds(60))
        #expect(
            laptop.run("devices").output == """
                laptop  this laptop, online, last press 1m ago
                desk    online, last press 10m ago

                """)
        let json = try JSON(parsing: laptop.run("devices --json").output.utf8)
        guard case .array(let entries)? = json["devices"] else { return #expect(Bool(false)) }
        #expect(entries.map { $0["name"] } == [.string("laptop"), .string("desk")])
        #expect(entries.last?["key"] == .string(keys[1]))
        #expect(entries.last?["replicas"]?.description == "[\"0000000000000021\",\"0000000000000022\"]")
    }

    @Test("a long name doesn't stretch the list, and is whole in JSON")
    func longName() throws {
        let name = String(repeating: "x", count: 200)
        _ = laptop.run(["devices", "rename", name])
        let shown = String(repeating: "x", count: 31) + "…"
        #expect(laptop.run("devices").output == "\(shown)  this laptop, last press just now\n")
        let json = try JSON(parsing: laptop.run("devices --json").output.utf8)
        guard case .array(let entries)? = json["devices"] else { return #expect(Bool(false)) }
        #expect(entries.first?["name"] == .string(name))
        let exact = String(repeating: "y", count: 32)
        _ = laptop.run(["devices", "rename", exact])
        #expect(laptop.run("devices").output.hasPrefix("\(exact)  this laptop"))
    }

    @Test("renaming tells the others, and an empty name is refused")
    func rename() throws {
        #expect(
            laptop.run(["devices", "rename", " desk "])
                == .init(
                    status: .done, output: "", messages: "focus: This laptop is called desk now.\n"))
        #expect(laptop.run("devices").output.hasPrefix("desk  this laptop"))
        #expect(
            laptop.run(["devices", "rename", " \u{7} "])
                == .init(
                    status: .usage, output: "",
                    messages: "focus: A name needs at least one character that shows.\n"))
        let device = try Device(laptop.context)
        #expect(try device.store.eventCount() == 1)
    }

    @Test("leaving keeps a copy that can be read, and begins an empty log")
    func leave() throws {
        #expect(laptop.run("leave").status == .notNow)
        _ = try enterGroup()
        _ = laptop.run("start Write")
        let exported = laptop.run("export").output
        let result = laptop.run("leave")
        #expect(result.status == .done)
        let folder = "\(home.path)/left-2025-11-20"
        #expect(result.messages.contains("FOCUS_HOME=\(folder) focus log"))
        #expect(home.permissions("left-2025-11-20/log.db") == 0o400)
        let copy = TestContext(home: folder, now: 1_763_661_600_000)
        #expect(copy.run("export").output == exported)
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
        #expect(laptop.run("export").output == "")
        _ = try enterGroup()
        #expect(laptop.run("leave").messages.contains("\(folder)-2"))
    }

    @Test("the key is left behind with the log, whole or damaged, and the laptop is known by none then")
    func leaveKey() throws {
        let identity = IdentityFile(path: "\(home.path)/identity.pem")
        for (folder, isDamaged) in [("left-2025-11-20", false), ("left-2025-11-20-2", true)] {
            let device = try enterGroup()
            let key = try identity.loadOrCreate().keyHash
            if isDamaged {
                try Data("junk".utf8).write(to: URL(fileURLWithPath: identity.path))
                let failure = #expect(throws: SealError.self) { try identity.load() }
                #expect(failure?.context.hasPrefix("\(identity.path) holds no whole identity: ") == true)
            }
            #expect(laptop.run("leave").status == .done)
            #expect(try identity.load() == nil)
            #expect(try device.store.text(.deviceKey) == nil)
            let copy = IdentityFile(path: "\(home.path)/\(folder)/identity.pem")
            if isDamaged {
                #expect(throws: SealError.self) { try copy.load() }
            } else {
                #expect(try copy.load()?.keyHash == key)
            }
        }
    }

    @Test("commands that need the server say so where there is none")
    func noNetwork() {
        for words in ["join x", "invite", "sync", "devices revoke x", "agent", "status --follow"] {
            #expect(laptop.run(words).status == .unreachable)
        }
        #expect(home.files == [])
    }

    @Test(
        "shutting a laptop out is asked about where somebody sits there, and done without asking with --yes")
    func askedToRevoke() {
        for (words, replies, status) in [
            ("devices revoke desk", [.line("n")], .notNow), ("devices revoke desk", [.ended], .notNow),
            // There is no network here.
            ("devices revoke desk", [.line("y")], .unreachable), ("devices revoke desk", [], .unreachable),
            ("devices revoke desk --yes", [.line("n")], .unreachable),
        ] as [(String, [Reply], CommandLineKit.ExitStatus)] {
            let asked = TestContext(home: home.path, replies: replies, now: 0)
            #expect(asked.run(words).status == status, "\(words) \(replies)")
        }
    }
}
