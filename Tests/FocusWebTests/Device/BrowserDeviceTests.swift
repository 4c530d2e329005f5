import ClientSupport
import CommandLineKit
import FocusCore
import FocusPage
import FocusSeal
import FocusServerCore
import FocusText
import Foundation
import MemoryBrowser
import MemoryServer
import QRKit
import TestSupport
import TestTraits
import Testing

@testable import FocusWeb

/// A whole device in a browser, with a whole server in memory.
@Suite("A device in a browser", .ends(within: .seconds(60)))
struct BrowserDeviceTests {
    private static let serverKey = Digest(InlineArray(repeating: 0xEE))

    private static func makeServer() throws -> (server: MemoryServer, invite: String) {
        let secret = try #require(
            InviteSecret(SecretBytes([UInt8](repeating: 1, count: InviteSecret.length))))
        let server = try MemoryServer(ServerLimits(), tokens: [secret.token().hash()], key: serverKey)
        let invite = try Invite(
            kind: .bringGroup, addresses: ["server.example"], server: ServerPin(serverKey), secret: secret)
        return (server, try invite.text())
    }

    /// Two browsers in one group.
    private static func makePair() throws -> (server: MemoryServer, TestBrowser, TestBrowser) {
        let (server, invite) = try makeServer()
        let (first, second) = (TestBrowser(1, server), TestBrowser(2, server))
        #expect(first.begin() && second.begin())
        try join(first, with: invite)
        let answer = try first.ask("POST", "/invite", "{}")
        try join(second, with: #require(answer.member("invite"), "\(answer.text)"))
        try catchUp(first, second)
        return (server, first, second)
    }

    private static func join(_ browser: TestBrowser, with invite: String) throws {
        let answer = try browser.ask("POST", "/join", #"{"invite":"\#(invite)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Lets browsers work until all bytes have arrived everywhere.
    private static func catchUp(_ browsers: TestBrowser...) throws {
        for _ in 0..<10 {
            for browser in browsers { try browser.run() }
            for browser in browsers { browser.advance(by: 1) }
        }
    }

    @Test("two browsers join by invites, press, and have the same log")
    func agree() throws {
        let (server, first, second) = try Self.makePair()
        second.device?.follow(7, zone: "", at: second.time)
        try first.press(#"{"press":"start","label":"Write"}"#)
        try Self.catchUp(first, second)
        #expect(second.states[7]?.last?["label"]?.text == "Write")
        try second.press(#"{"press":"pause"}"#)
        try Self.catchUp(first, second)
        let log = try first.log()
        #expect(try second.log() == log)
        #expect(log.split(separator: "\n").count >= 4)
        #expect(server.groups.count == 1)
    }

    @Test("a browser that starts again goes on as the same member")
    func restarts() throws {
        let (server, first, second) = try Self.makePair()
        try first.press(#"{"press":"start","label":"Write"}"#)
        try Self.catchUp(first, second)
        let again = TestBrowser(3, server, database: second.database)
        #expect(again.begin())
        try again.press(#"{"press":"pause"}"#)
        try Self.catchUp(first, again)
        #expect(try again.log() == first.log())
    }

    @Test("in a laptop's folder, the files that a page saves are a log that 'focus export' writes")
    func savedFiles() throws {
        let (_, first, second) = try Self.makePair()
        try first.press(#"{"press":"start","label":"Write"}"#)
        try Self.catchUp(first, second)
        try second.press(#"{"press":"pause"}"#)
        let log = try second.log()
        let home = TemporaryHome()
        try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
        for (path, bytes) in second.database.files where !bytes.isEmpty {
            let name = try #require(path.split(separator: "/").last)
            try Data(bytes).write(to: URL(fileURLWithPath: home.path).appendingPathComponent(String(name)))
        }
        #expect(home.files.contains("log.db"))
        let laptop = TestContext(folder: home, now: 1_763_661_700_000)
        #expect(laptop.run("export") == TestContext.Result(status: .done, output: log, messages: ""))
    }

    @Test("the first state doesn't wait for the start, and a device without a page starts too")
    func showsFirst() throws {
        let (server, _, second) = try Self.makePair()
        let again = TestBrowser(3, server, database: second.database)
        again.stores = false
        #expect(again.begin())
        #expect(again.changes.isEmpty)
        again.device?.follow(1, zone: "", at: again.time)
        #expect(again.states[1]?.first?["sync"]?["state"]?.text == "offline", "another one was connected")
        again.stores = true
        try again.run()
        #expect(again.requests.contains(.connect))

        let hidden = TestBrowser(4, server, database: second.database)
        #expect(hidden.begin())
        hidden.advance(by: 1)
        try hidden.run()
        #expect(hidden.requests.contains(.connect))
    }

    @Test("a group operation takes turns with the agent's connection, which comes back")
    func takesTurns() throws {
        let (_, first, second) = try Self.makePair()
        let answer = try first.ask("POST", "/invite", "{}")
        #expect(answer.member("invite") != nil)
        try second.press(#"{"press":"start","label":"Read"}"#)
        try Self.catchUp(first, second)
        #expect(try first.log() == second.log())
    }

    @Test("an invite of a browser comes with its QR code, a square of light and dark modules")
    func invitesByCode() throws {
        let (_, first, _) = try Self.makePair()
        let answer = try first.ask("POST", "/invite", "{}")
        guard case .array(let rows)? = try JSON(parsing: answer.body)["code"] else {
            Issue.record("\(answer.text)")
            return
        }
        #expect(rows.count >= 21)
        #expect(rows.allSatisfy { $0.text?.utf8.count == rows.count })
        #expect(rows.first?.text?.hasPrefix("11111110") == true)
    }

    @Test("the link and QR code of a browser's invite lead to the page that asks for it, if that has HTTPS")
    func invitesByLink() throws {
        let (_, first, _) = try Self.makePair()
        let answer = try first.ask("POST", "/invite", #"{"page":"https://focus.example:8443"}"#)
        let invite = try #require(answer.member("invite"), "\(answer.text)")
        #expect(answer.member("link") == "https://focus.example:8443/#\(invite)")
        guard case .array(let rows)? = try JSON(parsing: answer.body)["code"] else {
            Issue.record("\(answer.text)")
            return
        }
        let code = try QRCode("https://focus.example:8443/#\(invite.uppercased())")
        #expect(rows.compactMap(\.text) == code.rows.map { row in row.map { $0 ? "1" : "0" }.joined() })
        for page in ["http://127.0.0.1:7855", "https://focus.example/page"] {
            let other = try first.ask("POST", "/invite", #"{"page":"\#(page)"}"#)
            #expect(other.status == 200 && other.member("link") == nil, "\(other.text)")
        }
        #expect(try first.ask("POST", "/invite", #"{"page":1}"#).status == 400)
    }

    @Test("a browser that leaves its group has no key any more, and joins another with a new one")
    func leaves() throws {
        let (_, first, second) = try Self.makePair()
        let key = Array("key\u{0}00000000".utf8)
        let former = try #require(second.database.records[key])
        let question = try second.ask("POST", "/leave", "{}")
        #expect(question.status == 409)
        #expect(try second.ask("POST", "/leave", #"{"sure":true}"#).status == 200)
        #expect(second.database.records[key] == nil)
        let invite = try #require(first.ask("POST", "/invite", "{}").member("invite"))
        let joined = try second.ask("POST", "/join", #"{"invite":"\#(invite)","takeAlong":false}"#)
        #expect(joined.status == 200, "\(joined.text)")
        let present = try #require(second.database.records[key])
        #expect(present != former)
    }

    @Test("nothing leaves the device before the changes that it follows from are stored")
    func holdsBack() throws {
        let (_, first, _) = try Self.makePair()
        first.device?.follow(1, zone: "Europe/Berlin", at: first.time)
        try first.run()
        first.stores = false
        let (requests, states) = (first.requests.count, first.states[1]?.count)
        let id = first.send("POST", "/press", #"{"press":"start","label":"Write"}"#)
        try first.run()
        #expect(first.answers[id] == nil)
        #expect(first.requests.count == requests)
        #expect(first.states[1]?.count == states)
        #expect(first.storeNext())
        #expect(first.answers[id] != nil)
        first.stores = true
        try first.run()
        #expect(first.requests.count > requests)
        #expect(first.states[1]?.count != states)
    }

    @Test("a press that was being stored when another tab took over is refused, and reaches nobody")
    func refusesLatePress() throws {
        let (server, first, frozen) = try Self.makePair()
        frozen.stores = false
        let late = frozen.send("POST", "/press", #"{"press":"start","label":"Late"}"#)
        try frozen.run()
        let present = TestBrowser(3, server, database: frozen.database)
        #expect(present.begin())
        try present.press(#"{"press":"start","label":"Present"}"#)
        try Self.catchUp(first, present)
        // The former tab goes on, and the database refuses its changes.
        try frozen.run()
        #expect(frozen.answers[late] == nil)
        frozen.failStoring(.otherOwner)
        try Self.catchUp(first, frozen, present)
        #expect(frozen.answers[late]?.status == 503)
        let log = try first.log()
        #expect(log.contains("Present") && !log.contains("Late"))
        #expect(try present.log() == log)
    }

    @Test("others' presses are shown at once, and stored together after a while")
    func storesTogether() throws {
        let (_, first, second) = try Self.makePair()
        second.device?.follow(1, zone: "", at: second.time)
        try second.run()
        let changes = second.changes.count
        for body in [#"{"press":"start","label":"One"}"#, #"{"press":"label","label":"Two"}"#] {
            try first.press(body)
            try second.run()
        }
        #expect(second.states[1]?.last?["label"]?.text == "Two")
        #expect(try second.ask("GET", "/log.jsonl").text.contains("Two"))
        #expect(second.changes.count == changes)
        second.advance(by: 1)
        #expect(second.changes.count == changes + 1)
        try second.run()
        let again = TestBrowser(3, database: second.database)
        #expect(again.begin())
        #expect(try again.log() == second.log())
    }

    @Test("an event that was shown but not stored is got again after a kill")
    func getsAgain() throws {
        let (server, first, second) = try Self.makePair()
        second.device?.follow(1, zone: "", at: second.time)
        try second.run()
        try first.press(#"{"press":"start","label":"Write"}"#)
        try second.run()
        #expect(second.states[1]?.last?["label"]?.text == "Write")
        let again = TestBrowser(3, server, database: second.database)
        #expect(again.begin())
        #expect(try !again.log().contains("Write"))
        try Self.catchUp(first, again)
        #expect(try again.log() == first.log())
    }

    @Test("a press waits until it is stored itself, and stores the others' presses that it follows")
    func pressAfterOthers() throws {
        let (_, first, second) = try Self.makePair()
        try second.run()
        try first.press(#"{"press":"start","label":"Write"}"#)
        second.stores = false
        try second.run()
        // The start is being stored.
        second.advance(by: 1)
        try first.press(#"{"press":"label","label":"Read"}"#)
        try second.run()
        let (changes, requests) = (second.changes.count, second.requests.count)
        let id = second.send("POST", "/press", #"{"press":"pause"}"#)
        #expect(second.storeNext())
        #expect(second.answers[id] == nil)
        #expect(second.requests.count == requests)
        #expect(second.changes.count == changes + 1)
        #expect(second.storeNext())
        #expect(second.answers[id] != nil)
        second.stores = true
        try second.run()
        #expect(second.requests.count > requests)
        let again = TestBrowser(3, database: second.database)
        #expect(again.begin())
        #expect(try again.log() == second.log())
    }

    @Test("a device is whole after each set of changes, and has all that it has answered for")
    func survivesEachKill() throws {
        let browser = TestBrowser(1)
        browser.begin()
        try browser.run()
        var answered: [(changes: Int, log: String)] = [(browser.changes.count, try browser.log())]
        for body in [
            #"{"press":"start","label":"Write"}"#, #"{"press":"pause"}"#, #"{"press":"resume"}"#,
            #"{"press":"set","setting":"workLength","value":"30m"}"#, #"{"press":"stop"}"#,
        ] {
            browser.advance(by: 60)
            try browser.press(body)
            answered.append((browser.changes.count, try browser.log()))
        }
        var database = BrowserDatabase()
        for (index, changes) in browser.changes.enumerated() {
            database.apply(changes)
            let again = TestBrowser(9, database: database)
            #expect(again.begin(), "after set \(index + 1)")
            let log = try again.log()
            let promised = answered.last { $0.changes <= index + 1 }?.log ?? ""
            #expect(log.hasPrefix(promised), "after set \(index + 1)")
        }
        #expect(database.records == browser.database.records)
    }

    @Test("a device that is killed at any moment of joining can go on, in the group or outside")
    func survivesKillsWhileJoining() throws {
        let (server, invite) = try Self.makeServer()
        let first = TestBrowser(1, server)
        first.begin()
        try first.run()
        let before = first.changes.count
        try Self.join(first, with: invite)
        var database = BrowserDatabase()
        for (index, changes) in first.changes.enumerated() {
            database.apply(changes)
            guard index >= before else { continue }
            let (other, _) = try Self.makeServer()
            let again = TestBrowser(5, other, database: database)
            #expect(again.begin(), "after set \(index + 1)")
            // Brings the group to a server that doesn't know it, under the same key.
            let answer = try again.ask("POST", "/join", #"{"invite":"\#(invite)"}"#)
            #expect([200, 409].contains(answer.status), "after set \(index + 1): \(answer.text)")
        }
    }

    @Test("a device that knows its server's key by an invite talks to no other server")
    func refusesOtherServer() throws {
        let (server, _) = try Self.makeServer()
        let browser = TestBrowser(1, server, shows: .otherServer)
        browser.begin()
        let (_, invite) = try Self.makeServer()
        let answer = try browser.ask("POST", "/join", #"{"invite":"\#(invite)"}"#)
        #expect(answer.status == 503)
        #expect(answer.member("error")?.contains("another key") == true, "\(answer.text)")
    }

    @Test("a server that can't be reached, and one that doesn't answer, end a join with the reason")
    func unreachable() throws {
        let (_, invite) = try Self.makeServer()
        let body = #"{"invite":"\#(invite)"}"#
        let browser = TestBrowser(1)
        browser.begin()
        let refused = try browser.ask("POST", "/join", body)
        #expect(refused.status == 503)
        #expect(refused.member("error")?.contains("can't be reached") == true, "\(refused.text)")
        browser.connects = false
        let silent = try browser.ask("POST", "/join", body)
        #expect(silent.member("error")?.contains("focus.example doesn't answer") == true, "\(silent.text)")
    }

    @Test("a person can give up joining")
    func givesUp() throws {
        let (_, invite) = try Self.makeServer()
        let browser = TestBrowser(1)
        browser.connects = false
        browser.begin()
        let id = browser.send("POST", "/join", #"{"invite":"\#(invite)"}"#)
        try browser.run()
        #expect(browser.answers[id] == nil)
        #expect(try browser.ask("POST", "/join", #"{"giveUp":true}"#).status == 204)
        browser.advance(by: 2)
        try browser.run()
        #expect(browser.answers[id]?.member("error")?.contains("Given up") == true)
        // The next attempt isn't refused because of this one.
        let again = browser.send("POST", "/join", #"{"invite":"\#(invite)"}"#)
        try browser.run()
        #expect(browser.answers[again] == nil)
    }

    @Test("a new boot begins, with a new connection, if the browser's clocks part")
    func noticesSleep() throws {
        let (_, first, _) = try Self.makePair()
        let connects = first.requests.count { $0 == .connect }
        first.lead = .seconds(3_600)
        first.device?.woke(at: first.time)
        try first.run()
        #expect(first.requests.count { $0 == .connect } > connects)
    }

    @Test("an event of a WebSocket that is about to be replaced is none of the next one")
    func ignoresOldSocket() throws {
        let (_, first, _) = try Self.makePair()
        try first.run()
        first.stores = false
        let connects = first.requests.count { $0 == .connect }
        first.send("POST", "/press", #"{"press":"start","label":"Write"}"#)
        // The device connects again, once the press is stored.
        first.device?.resumed(at: first.time)
        first.device?.closed(at: first.time)
        #expect(first.requests.count { $0 == .connect } == connects)
        first.stores = true
        try first.run()
        #expect(first.requests.count { $0 == .connect } == connects + 1)
        #expect(first.requests.last != .disconnect)
    }

    @Test("a page that follows no more gets no states")
    func unfollows() throws {
        let browser = TestBrowser(1)
        browser.begin()
        browser.device?.follow(1, zone: "", at: browser.time)
        try browser.run()
        let count = try #require(browser.states[1]?.count)
        browser.device?.unfollow(1, at: browser.time)
        try browser.press(#"{"press":"start","label":"Write"}"#)
        #expect(browser.states[1]?.count == count)
    }

    @Test("an unknown address and one that isn't JSON are answered")
    func answersStrangeRequests() throws {
        let browser = TestBrowser(1)
        browser.begin()
        #expect(try browser.ask("GET", "/nothing").status == 404)
        #expect(try browser.ask("POST", "/press", "no").status == 400)
        browser.device?.request(99, Array("no".utf8), at: browser.time)
        try browser.run()
        #expect(browser.answers[99]?.status == 400)
    }
}
