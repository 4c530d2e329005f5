import ClientSupport
import CommandLineKit
import FocusCore
import FocusLink
import FocusSeal
import FocusStore
import FocusText
import Foundation
import TestSupport
import Testing

@testable import FocusClient
@testable import FocusDevice

@Suite("Devices and groups")
struct GroupCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let keys = [
        String(repeating: "aa", count: 32), String(repeating: "bb", count: 32),
    ]

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    /// Puts the device into a group with another device, which has two replicas.
    private func enterGroup() throws -> Device {
        let device = try Device(laptop.machine)
        try device.store.setText(keys[0], for: .deviceKey)
        try device.enterGroup()
        for (index, name) in ["shelf", "desk"].enumerated() {
            try device.merge(
                .device(name: name, key: keys[1]), by: 0x21 + UInt64(index),
                at: 1_763_661_000_000 + .milliseconds(Int64(index)))
        }
        return device
    }

    /// A person at this laptop who replies to questions.
    private func asked(_ replies: Reply...) -> TestContext {
        TestContext(home: home.path, replies: replies, now: 1_763_661_600_000, firstReplica: 0x51)
    }

    /// The entries of `focus devices --json`.
    private func entries() throws -> [JSON] {
        let json = try JSON(parsing: laptop.run("devices --json").output.utf8)
        guard case .array(let entries)? = json["devices"] else { throw NoEntries() }
        return entries
    }

    private struct NoEntries: Error {}

    @Test("before the first press the list has only this laptop")
    func alone() {
        #expect(laptop.run("devices").output == "laptop  this laptop, no session yet\n")
        #expect(home.files == [])
    }

    @Test("a device with several replicas is one entry, under its newest name")
    func list() throws {
        let device = try enterGroup()
        try device.record(ConnectionState(.online, online: keys.compactMap(Digest.init(hexadecimal:))))
        _ = laptop.run("start")
        laptop.pass(.seconds(60))
        #expect(
            laptop.run("devices").output == """
                laptop  this laptop, online, last used 1m ago
                desk    online, last used 10m ago

                """)
        let entries = try entries()
        #expect(entries.map { $0["name"] } == [.string("laptop"), .string("desk")])
        #expect(entries.last?["key"] == .string(keys[1]))
        #expect(entries.last?["replicas"]?.description == "[\"0000000000000021\",\"0000000000000022\"]")
    }

    @Test("the list and the status say which laptop has the server, and that it can't be reached")
    func server() throws {
        let device = try enterGroup()
        let pin = ServerPin(Digest(InlineArray(repeating: 1)))
        try device.store.setServerPin(pin)
        try device.merge(
            .set(key: ServerSetting.name, value: pin.key.beginning), by: 0x22, seq: 2, at: 1_763_661_000_002)
        #expect(laptop.run("devices").output.hasSuffix("\ndesk    the server, last used 9m ago\n"))
        #expect(try entries().map { $0["server"] } == [.null, .string("reachable")])
        try device.record(.unreachable)
        #expect(
            laptop.run("devices").output.hasSuffix(
                "\ndesk    the server (can't be reached), last used 9m ago\n"))
        #expect(try entries().last?["server"] == .string("unreachable"))
        #expect(
            laptop.run("status").messages.hasPrefix(
                "focus: Offline: the server runs on desk, which can't be reached; "))
    }

    @Test("a long name is cut in the list, and whole in JSON")
    func longName() throws {
        let name = String(repeating: "x", count: 200)
        _ = laptop.run(["devices", "rename", name])
        let shown = String(repeating: "x", count: 31) + "…"
        #expect(laptop.run("devices").output == "\(shown)  this laptop, last used just now\n")
        #expect(try entries().first?["name"] == .string(name))
        let exact = String(repeating: "y", count: 32)
        _ = laptop.run(["devices", "rename", exact])
        #expect(laptop.run("devices").output.hasPrefix("\(exact)  this laptop"))
    }

    @Test("devices with names that look the same are told apart by their keys' digits")
    func sameLook() throws {
        let device = try enterGroup()
        let long = String(repeating: "x", count: 31)
        let others = [("c", "de\u{200B}sk"), ("d", "\(long)-one"), ("e", "\(long)-two"), ("f", "shelf")]
        for (index, other) in others.enumerated() {
            let action = Action.device(name: other.1, key: String(repeating: other.0, count: 64))
            try device.merge(
                action, by: 0x31 + UInt64(index), at: 1_763_661_000_010 + .milliseconds(Int64(index)))
        }
        #expect(
            try DeviceList(device).entries.map(\.title) == [
                "laptop", "desk (bbbbbbbb)", "de\u{200B}sk (cccccccc)", "shelf", "\(long)… (dddddddd)",
                "\(long)… (eeeeeeee)",
            ])
    }

    @Test("renaming tells the others, and an empty name is refused")
    func rename() throws {
        #expect(
            laptop.run(["devices", "rename", " desk "])
                == .init(
                    status: .done, output: "", messages: "focus: This laptop is now called desk.\n"))
        #expect(laptop.run("devices").output.hasPrefix("desk  this laptop"))
        #expect(
            laptop.run(["devices", "rename", " \u{7} "])
                == .init(
                    status: .usage, output: "",
                    messages: "focus: A name needs at least one character that shows.\n"))
        let device = try Device(laptop.machine)
        #expect(try device.store.eventCount() == 1 + Action.firstSettings.count)
    }

    @Test("renaming to another laptop's present name says that the name is taken")
    func renameTaken() throws {
        _ = try enterGroup()
        #expect(
            laptop.run("devices rename desk").messages
                == "focus: This laptop is now called desk.\nfocus: Another laptop of the group is called desk too. "
                + "'focus devices rename NAME' gives this one a name of its own.\n")
        #expect(laptop.run("devices rename shelf").messages == "focus: This laptop is now called shelf.\n")
    }

    @Test("at a terminal an invite is asked for until it is complete")
    func pastedInvite() throws {
        let server = try #require(Digest(bytes: [UInt8](repeating: 9, count: 32)))
        let text = try Invite(
            kind: .joinGroup(GroupMark(of: GroupID(high: 1, low: 2))), addresses: ["focus.example.org"],
            server: ServerPin(server), secret: .random()
        ).text()
        let (first, rest) = (String(text.prefix(70)), String(text.dropFirst(70)))
        let link = "https://focus.example.org/#\(text)"
        let prompt = "Paste the invite and press Enter: "
        let more = "Paste the rest of the invite: "
        for (lines, questions, said) in [
            ([text], [prompt], ""), (["  ", text], [prompt, prompt], ""),
            ([first, "  \(rest) "], [prompt, more], ""), ([link], [prompt], ""),
            ([String(link.prefix(70)), String(link.dropFirst(70))], [prompt, more], ""),
            (["This invite lets one laptop in.", text], [prompt, prompt], "one begins with lockstep1-"),
            ([first, "", text], [prompt, more, prompt], "mistyped or cut short"),
        ] {
            let asked = TestContext(home: home.path, replies: (lines + ["not read"]).map { .line($0) })
            let result = asked.run("join -")
            // There is no network here.
            #expect(result.status == .unreachable, "\(lines)")
            #expect(asked.questions == questions)
            #expect(said.isEmpty || result.messages.contains(said))
        }
        let ended = TestContext(home: home.path, replies: [.line(first), .ended]).run("join -")
        #expect(ended.status == .notNow && ended.messages.contains("nothing was changed"))
        for text in ["\(first)\n \(rest)\n", "\(link)\n"] {
            #expect(TestContext(home: home.path, files: ["-": text]).run("join -").status == .unreachable)
        }
        #expect(TestContext(home: home.path).run("join \(link)").status == .unreachable)
        let broken = TestContext(home: home.path, files: ["-": "\(first)\n"]).run("join -")
        #expect(broken.messages.contains("mistyped or cut short"))
    }

    /// Returns the device key that consists of this digit, repeated.
    private func digest(_ digit: Character) -> Digest? {
        Digest(hexadecimal: String(repeating: digit, count: 64))
    }

    @Test("the list shows who revoked a device and when, and devices that only the server lists")
    func revocations() throws {
        let device = try enterGroup()
        let desk = try #require(digest("b"))
        let (hidden, out) = (try #require(digest("c")), try #require(digest("d")))
        try device.store.upsert([
            RosterEntry(device: desk, isRevoked: true), RosterEntry(device: hidden, isRevoked: false),
            RosterEntry(device: out, isRevoked: true),
        ])
        #expect(
            laptop.run("devices").output == """
                laptop    this laptop, no session yet
                desk      shut out by the server, last used 9m ago
                cccccccc  only listed by the server
                dddddddd  shut out by the server, only listed by the server

                """)
        try device.rule([.revoke(desk)])
        laptop.pass(.seconds(60))
        #expect(
            laptop.run("devices").output.contains("\ndesk      shut out by this laptop 1m ago, last used"))
        #expect(laptop.run("devices revoke desk --yes").messages == "focus: desk was shut out before.\n")
        let entries = try entries()
        #expect(entries.map { $0["named"] } == [.bool(true), .bool(true), .bool(false), .bool(false)])
        #expect(
            entries[1]["revocation"]?.description
                == "{\"from\":\"log\",\"by\":\"this laptop\",\"at\":1763661600000}")
        #expect(entries[3]["revocation"]?.description == "{\"from\":\"server\",\"by\":null,\"at\":null}")

        // The server still says that it is revoked.
        #expect(laptop.run("devices readmit desk").status == .done)
        try device.store.upsert([RosterEntry(device: desk, isRevoked: true)])
        #expect(
            laptop.run("devices").output.contains(
                "\ndesk      readmitted, not accepted yet, last used"))
        #expect(laptop.run("devices readmit desk").status == .notNow)
        #expect(laptop.run("devices readmit dddddddd").status == .done)
        #expect(try device.store.groupKeys().revoked.isEmpty)
    }

    @Test("the list shows latecomers, and for a week devices that got the group's key")
    func lateAndNew() throws {
        let device = try enterGroup()
        try device.record(ConnectionState(.online))
        let desk = try #require(digest("b"))
        try device.store.replaceStandings(with: [desk: .outdated])
        #expect(laptop.run("devices").output.contains("\ndesk    waiting to be accepted, last used 9m ago\n"))
        #expect(
            laptop.run("status").messages
                == "focus: A laptop is waiting to be accepted, which came with a key from before another was shut out. 'focus devices' says which, 'focus devices accept NAME' lets one in, and 'focus devices revoke NAME' shuts it out.\n"
        )
        let waiting = try entries()
        #expect(waiting[1]["late"] == .bool(true) && waiting[1]["newSince"] == .null)
        #expect(laptop.run("doctor").output.contains("one of 2 laptops. A laptop is waiting to be\n"))
        // A person decided. That takes effect without an answer of the server.
        try device.rule([.revoke(desk)])
        #expect(laptop.run("status").messages == "")
        #expect(!laptop.run("devices").output.contains("waiting"))

        let fresh = try #require(digest("c"))
        try device.store.upsert([RosterEntry(device: fresh, isRevoked: false)])
        var newcomers = try Newcomers(device.store)
        try newcomers.add([fresh, desk], at: device.now(), device.store)
        laptop.pass(.seconds(6 * 86_400))
        #expect(
            laptop.run("devices").output.contains(
                "\ncccccccc  new, got the group's key 6 days ago, only listed"))
        #expect(!laptop.run("devices").output.contains("desk      new"), "who is shut out isn't new")
        let advice = "If you don't know whose it is: focus devices revoke NAME"
        #expect(laptop.run("devices").messages.contains(advice))
        #expect(try entries()[2]["newSince"] == .integer(1_763_661_600_000))
        laptop.pass(.seconds(86_400))
        #expect(!laptop.run("devices").output.contains("new,"))
        #expect(laptop.run("devices").messages.isEmpty)
        _ = laptop.run("leave --yes")
        #expect(try Newcomers(device.store).times.isEmpty)
    }

    @Test("a question names eight of many listed devices and counts the others")
    func manyListed() throws {
        let device = try enterGroup()
        let keys = (0..<12).compactMap {
            Digest(hexadecimal: String(repeating: "c\($0 % 10)", count: 31) + "\(10 + $0)")
        }
        try device.store.upsert(keys.map { RosterEntry(device: $0, isRevoked: false) })
        let asked = asked(.line("n"))
        _ = asked.run("devices revoke desk")
        #expect(
            asked.questions == [
                "Shut desk and with it c0c0c0c0, c0c0c0c0, c1c1c1c1, c1c1c1c1, c2c2c2c2, c3c3c3c3, c4c4c4c4, c5c5c5c5 and 4 more, which only the server lists, out of the group for good? They won't see later changes, and unused invites end. [y/N] "
            ])
    }

    @Test("the question of a revocation includes devices that no laptop has named, unless --only is given")
    func unnamed() throws {
        let device = try enterGroup()
        let hidden = try #require(digest("c"))
        try device.store.upsert([RosterEntry(device: hidden, isRevoked: false)])
        for (words, question) in [
            (
                "devices revoke desk",
                "Shut desk and with it cccccccc, which only the server lists, out of the group for good? They"
            ),
            ("devices revoke desk --only", "Shut desk out of the group for good? It"),
            ("devices revoke cccccccc", "Shut cccccccc out of the group for good? It"),
            ("devices revoke desk cccccccccc", "Shut desk, cccccccc out of the group for good? They"),
        ] {
            let asked = asked(.line("n"))
            #expect(asked.run(words).status == .notNow)
            #expect(
                asked.questions == [
                    "\(question) won't see later changes, and unused invites end. [y/N] "
                ])
        }
    }

    @Test(
        "a former self is shut out after a yes on a terminal; without one, or a question, the command is named"
    )
    func formerSelf() throws {
        _ = try enterGroup()
        let key = try #require(Digest(hexadecimal: keys[1]))
        let former = FormerSelf(key: key, title: "desk (bbbbbbbb)", age: .seconds(259_200))
        for (laptop, mayAsk) in [(asked(), true), (asked(.line("y")), false)] {
            try former.offerRevocation(in: laptop.context, mayAsk: mayAsk)
            #expect(
                laptop.messages
                    == "focus: If desk (bbbbbbbb) is what this laptop was before, shut it out: focus devices revoke bbbbbbbb\n"
            )
            #expect(laptop.questions.isEmpty || mayAsk)
        }
        let careful = asked(.line(""))
        try former.offerRevocation(in: careful.context, mayAsk: true)
        #expect(careful.messages == "focus: desk (bbbbbbbb) stays in the group.\n")
        let sure = asked(.line("y"))
        // There is no network here.
        #expect(throws: CommandFailure.self) { try former.offerRevocation(in: sure.context, mayAsk: true) }
        #expect(
            sure.questions == [
                "Shut the former desk (bbbbbbbb), last used 3 days ago, out of the group for good? It won't see later changes, and unused invites end. If it may be another person's, or is still in use, leave it in. [y/N] "
            ])
    }

    @Test(
        "devices that came after a revoked one, since the key was last changed, can be revoked too"
    )
    func recent() throws {
        let device = try enterGroup()
        try device.store.upsert([RosterEntry(device: try #require(digest("b")), isRevoked: false)], at: 2_000)
        // The stamps of these devices' events don't count, only the time at which this laptop heard of the
        // devices.
        for (index, other) in [("c", "home", 1_000), ("d", "phone", 3_000), ("e", "tablet", 4_000)]
            .enumerated()
        {
            let key = try #require(digest(Character(other.0)))
            let action = Action.device(name: other.1, key: key.hexadecimal)
            try device.merge(
                action, by: 0x31 + UInt64(index), at: SharedInstant(milliseconds: Int64(1 + index)))
            let heard = SharedInstant(milliseconds: Int64(other.2))
            try device.store.upsert([RosterEntry(device: key, isRevoked: false)], at: heard)
            // The time that was recorded first remains.
            try device.store.upsert([RosterEntry(device: key, isRevoked: false)], at: 9_000)
        }
        // The newest epoch was made for this device too.
        try device.store.replaceStandings(with: [try #require(digest("e")): .recipient])
        let keys = try DeviceSelector(device)
        let found = try keys.revocable(["desk"], revokesOnlyNamed: true)
        #expect(found.recent.map(\.title) == ["phone"])
        #expect(found.keys == [digest("b")])
        #expect(found.withRecent.keys == [digest("b"), digest("d")])
        #expect(try keys.revocable(["phone"], revokesOnlyNamed: true).recent.isEmpty)
        #expect(
            try keys.revocable(["home"], revokesOnlyNamed: true).recent.map(\.title) == ["desk", "phone"])
        let asked = asked(.line("y"), .line("n"))
        _ = asked.run("devices revoke desk")
        #expect(
            asked.questions == [
                "Shut desk out of the group for good? It won't see later changes, and unused invites end. [y/N] ",
                "phone came after desk, since the last change of the group's key or within a week. It may have been let in by it. Shut it out too? [y/N] ",
            ])
        try device.markNew(found)
        #expect(laptop.run("devices").output.contains("\nphone   new, got the group's key just now"))
        #expect(
            laptop.run("devices revoke desk --only --recent").messages.contains(
                "--only and --recent can't both be given."))
    }

    @Test("another device can be accepted unless it is revoked, and this one can't")
    func acceptable() throws {
        let device = try enterGroup()
        let desk = try #require(digest("b"))
        #expect(try DeviceSelector(device).acceptable("desk").reason == .none)
        try device.rule([.revoke(desk)])
        #expect(throws: DeviceSelector.Failure.notThere("desk", .acceptable)) {
            try DeviceSelector(device).acceptable("desk")
        }
        try device.readmit(desk)
        #expect(try DeviceSelector(device).acceptable("desk").reason == .readmitted)
        try device.store.accept(desk)
        #expect(try device.store.groupKeys()[desk] == .member)
        func refused() throws -> Bool? { try DeviceList(device).entries.first { $0.key == desk }?.isRefused }
        #expect(try refused() == false)
        try device.store.upsert([RosterEntry(device: desk, isRevoked: true)])
        #expect(try refused() == true)
        let needs = "\ndesk (bbbbbbbb)  needs a new invite: the server still refuses its key, "
        #expect(laptop.run("devices").output.contains(needs))
        // The device is revoked and readmitted again. It has to be accepted again too.
        try device.rule([.revoke(desk)])
        try device.readmit(desk)
        #expect(try device.store.groupKeys()[desk] == .readmitted)
        #expect(throws: DeviceSelector.Failure.thisOne) { try DeviceSelector(device).acceptable("laptop") }
        #expect(throws: DeviceSelector.Failure.thisOne) { try DeviceSelector(device).revoked("laptop") }
        #expect(throws: DeviceSelector.Failure.thisOne) {
            try DeviceSelector(device).revocable(["laptop"], revokesOnlyNamed: true)
        }
    }

    @Test(
        "a word that means several laptops, by name or by key, is refused with the digits to use"
    )
    func names() throws {
        let device = try enterGroup()
        let keys = [try #require(digest("c")), try #require(digest("d"))]
        let names = ["desk", "cccccccc"]
        for (index, key) in keys.enumerated() {
            try device.merge(
                .device(name: names[index], key: key.hexadecimal), by: 0x31 + UInt64(index),
                at: 1_763_661_000_010 + .milliseconds(Int64(index)))
        }
        let list = laptop.run("devices").output
        #expect(list.contains("\ndesk (bbbbbbbb)  ") && list.contains("\ndesk (cccccccc)  "))
        #expect(
            laptop.run("devices revoke desk --yes").messages
                == "focus: 2 laptops are called desk. Say which one by the digits of its key: bbbbbbbb, cccccccc.\n"
        )
        // One laptop's name equals the first digits of another one's key.
        #expect(
            laptop.run("devices revoke cccccccc --yes").messages
                == "focus: 2 laptops are called cccccccc. Say which one by the digits of its key: cccccccc, dddddddd.\n"
        )
        let keysOf = try DeviceSelector(device)
        let digits = ["bbbbbbbb", "cccccccc"]
        #expect(throws: DeviceSelector.Failure.ambiguous("desk", count: 2, digits: digits)) {
            try keysOf.revocable(["desk"], revokesOnlyNamed: true)
        }
        #expect(try keysOf.revocable(["ccccccccc"], revokesOnlyNamed: true).keys == [keys[0]])
        #expect(
            try keysOf.revocable([keys[0].hexadecimal, "desk (cccccccc)"], revokesOnlyNamed: true).keys
                == [keys[0]])
        #expect(try keysOf.revocable(["dddddddd"], revokesOnlyNamed: true).keys == [keys[1]])
        let titles = try DeviceList(device).entries.filter { !$0.isRevoked && $0.key != nil }.map(\.title)
        #expect(throws: DeviceSelector.Failure.unknown("ccccccc", known: titles.sorted())) {
            try keysOf.revocable(["ccccccc"], revokesOnlyNamed: true)
        }
        // Any device can be revoked by its whole key.
        let far = try #require(digest("e"))
        #expect(try keysOf.revocable([far.hexadecimal], revokesOnlyNamed: true).keys == [far])
        // A name is free for another device once its device is revoked.
        try device.rule([.revoke(keys[0])])
        #expect(try DeviceSelector(device).revocable(["desk"], revokesOnlyNamed: true).keys == [digest("b")])
    }

    @Test("a laptop revoked in the log has that trouble until it is readmitted") func ownRevocation() throws {
        let device = try enterGroup()
        try device.store.setText(String(repeating: "a", count: 64), for: .deviceKey)
        let own = try #require(digest("a"))
        try device.rule([.revoke(own)])
        #expect(try device.troubles(device.store.state(), at: device.now()) == [.revoked])
        try device.rule([.readmit(own)])
        #expect(try device.troubles(device.store.state(), at: device.now()) == [])
        #expect(try !device.isShutOut())
        laptop.pass(.seconds(60))
        try device.merge(.revoke(own), by: 0x21, seq: 2, at: 1_763_661_630_000)
        #expect(try device.isShutOut(), "a laptop that leaves then isn't told that the others list it")
        #expect(!laptop.run("leave --yes").messages.contains("still list this laptop"))
    }

    @Test("leaving keeps a readable copy and begins an empty log")
    func leave() throws {
        #expect(laptop.run("leave --yes").status == .notNow)
        _ = try enterGroup()
        _ = laptop.run("start Write")
        let exported = laptop.run("export").output
        let result = laptop.run("leave --yes")
        #expect(result.status == .done)
        let folder = "\(home.path)/left-2025-11-20"
        #expect(result.messages.contains("FOCUS_HOME=\(folder) focus log"))
        #expect(home.permissions("left-2025-11-20/log.db") == 0o400)
        let copy = TestContext(home: folder, now: 1_763_661_600_000)
        #expect(copy.run("export").output == exported)
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
        #expect(laptop.run("export").output == "")
        #expect(result.messages.contains("FOCUS_HOME=\(folder) focus export | focus import -"))
        _ = try enterGroup()
        #expect(laptop.run("leave --yes").messages.contains("\(folder)-2"))
        laptop.put(exported, at: "-")
        #expect(laptop.run("import -").messages.hasPrefix("focus: Merged "))
        #expect(laptop.run("status").output.contains("Write"))
    }

    @Test("leaving asks again if the server can't be reached, and names the unsent changes")
    func leaveUntold() throws {
        _ = try enterGroup()
        _ = laptop.run("start")
        let staying = asked(.line("y"), .line("n"))
        #expect(staying.run("leave").status == .notNow)
        #expect(staying.questions.count == 2)
        #expect(
            staying.questions.last?.hasPrefix("The server can't be reached: there is no network here. ")
                == true)
        let loss = "been sent, and only this laptop's copy of the log would have"
        #expect(staying.questions.last?.contains(loss) == true)
        #expect(staying.questions.last?.hasSuffix(" Leave anyway? [y/N] ") == true)
        #expect(home.files.allSatisfy { !$0.hasPrefix("left-") })
        let leaves = asked(.line("y"), .line("y")).run("leave")
        #expect(leaves.status == .done)
        #expect(leaves.messages.contains("focus devices revoke laptop"))
        _ = try enterGroup()
        _ = laptop.run("start")
        let unasked = laptop.run("leave --yes").messages.split(whereSeparator: \.isWhitespace)
        #expect(unasked.joined(separator: " ").contains(loss))
    }

    @Test(
        "a device that revoked its own key has left, and can't be revoked"
    )
    func left() throws {
        let device = try enterGroup()
        let key = try #require(Digest(hexadecimal: keys[1]))
        try device.merge(.revoke(key), by: 0x22, seq: 2, at: 1_763_661_300_000)
        #expect(laptop.run("devices").output.contains("desk    left 5m ago"))
        #expect(laptop.run("devices revoke desk --yes").messages == "focus: desk has left the group.\n")
        #expect(throws: DeviceSelector.Failure.hasLeft("desk")) {
            try DeviceSelector(device).revocable(["desk"], revokesOnlyNamed: true)
        }
        #expect(try entries().last?["revocation"]?["from"] == .string("itself"))
    }

    @Test("leaving moves the key file to the log's copy, even if damaged, and the laptop has no key then")
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
            #expect(laptop.run("leave --yes").status == .done)
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

    @Test(
        "revoking and leaving ask first, are refused without a terminal, and don't ask with --yes"
    )
    func askedToRevoke() throws {
        _ = try enterGroup()
        for (words, replies, status) in [
            ("devices revoke desk", [.line("n")], .notNow), ("devices revoke desk", [.ended], .notNow),
            // There is no network here.
            ("devices revoke desk", [.line("y")], .unreachable), ("devices revoke desk", [], .usage),
            ("devices revoke desk --yes", [.line("n")], .unreachable),
            ("leave", [.line("n")], .notNow), ("leave", [], .usage),
            ("leave", [.line("y"), .line("n")], .notNow), ("leave", [.line("y"), .line("y")], .done),
        ] as [(String, [Reply], CommandLineKit.ExitStatus)] {
            let asked = TestContext(home: home.path, replies: replies, now: 1_763_661_600_000)
            #expect(asked.run(words).status == status, "\(words) \(replies)")
        }
    }
}
