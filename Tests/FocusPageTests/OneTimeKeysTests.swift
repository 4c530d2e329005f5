import FocusClient
import FocusCore
import FocusPage
import FocusText
import TestSupport
import Testing

@Suite("One-time keys and sessions of the page")
struct OneTimeKeysTests {
    @Test("a key is valid once and for two minutes")
    func keys() throws {
        var keys = OneTimeKeys()
        let use = { (key: String, now: SteadyInstant) in keys.use(key, at: now) }
        let first = try keys.make(at: 0)
        let second = try keys.make(at: 0)
        #expect(first != second)
        #expect(first.utf8.count == 64)
        #expect(!use("", 1))
        #expect(!use(String(first.dropLast(2)), 1))
        #expect(!use("\(first)00", 1))
        #expect(use(first, .after(OneTimeKeys.lifetime)))
        #expect(!use(first, 1))
        #expect(!use(second, 1 + OneTimeKeys.lifetime))
        #expect(!use(second, 0))
    }

    @Test("of many unused keys only the newest are valid")
    func manyKeys() throws {
        var keys = OneTimeKeys()
        let use = { (key: String, now: SteadyInstant) in keys.use(key, at: now) }
        let made = try (0...OneTimeKeys.limit).map { _ in try keys.make(at: 0) }
        #expect(!use(made[0], 0))
        for key in made.dropFirst() {
            #expect(use(key, 0))
        }
    }

    @Test("a session is valid until it is unused for its lifetime, also after it was stored")
    func sessions() throws {
        var sessions = PageSessions(port: 8042)
        #expect(sessions.isEmpty(at: 0))
        let token = try sessions.begin(at: 0)
        let end = SharedInstant.zero + PageSessions.lifetime
        #expect(sessions.admits(token, at: end - 1))
        #expect(!sessions.admits(token, at: end))
        #expect(!sessions.admits("", at: 0))
        #expect(!sessions.admits(String(token.dropLast()), at: 0))
        // No session ends because the clock is set back.
        #expect(sessions.admits(token, at: .zero - PageSessions.lifetime))

        let kept = try #require(PageSessions(JSON(parsing: "\(sessions.json)".utf8)))
        #expect(kept == sessions)
        #expect(!"\(sessions.json)".contains(token))
        #expect(kept.admits(token, at: 1))

        let noteUse = { now in sessions.recordUse(of: token, at: now) }
        #expect(!noteUse(1))
        #expect(noteUse(end - 1))
        #expect(sessions.admits(token, at: end + PageSessions.lifetime - 2))
        #expect(!sessions.isEmpty(at: end + PageSessions.lifetime - 2))
        #expect(sessions.isEmpty(at: end + PageSessions.lifetime))
    }

    @Test("an ended session is invalid, and the others stay valid until all are ended")
    func ended() throws {
        var sessions = PageSessions(port: 8042)
        let (first, second) = (try sessions.begin(at: 0), try sessions.begin(at: 0))
        sessions.end("", at: 1)
        sessions.end(first, at: 1)
        #expect(!sessions.admits(first, at: 1))
        #expect(sessions.admits(second, at: 1))
        sessions.endAll()
        #expect(!sessions.admits(second, at: 1))
        #expect(sessions.isEmpty(at: 1))
        #expect(sessions.port == 8042)
    }

    @Test("a calendar feed has one secret, until it is renewed or all is ended, also after it was stored")
    func calendar() throws {
        var sessions = PageSessions(port: 8042)
        #expect(!sessions.hasCalendar && !sessions.admitsCalendar(""))
        let first = try sessions.renewCalendar()
        #expect(first.utf8.count == 64)
        #expect(sessions.hasCalendar && !sessions.isEmpty(at: 0))
        let stored = try #require(PageSessions(JSON(parsing: "\(sessions.json)".utf8)))
        #expect(stored == sessions)
        #expect(!"\(sessions.json)".contains(first))
        #expect(stored.admitsCalendar(first))
        for wrong in ["", String(first.dropLast()), "\(first)0", first.uppercased() + "x"] {
            #expect(!stored.admitsCalendar(wrong), "\(wrong)")
        }
        let token = try sessions.begin(at: 0)
        #expect(!sessions.admitsCalendar(token) && !sessions.admits(first, at: 0))
        let second = try sessions.renewCalendar()
        #expect(!sessions.admitsCalendar(first) && sessions.admitsCalendar(second))
        sessions.endAll()
        #expect(!sessions.hasCalendar && !sessions.admitsCalendar(second) && sessions.isEmpty(at: 0))
    }

    @Test("of too many sessions the least recently used one ends")
    func manySessions() throws {
        var sessions = PageSessions(port: 1)
        let tokens = try (0..<PageSessions.limit).map {
            try sessions.begin(at: SharedInstant(milliseconds: Int64($0)))
        }
        let now: SharedInstant = 172_800_000
        let isNoted = sessions.recordUse(of: tokens[0], at: now)
        let last = try sessions.begin(at: now)
        #expect(isNoted)
        #expect(tokens.indices.filter { !sessions.admits(tokens[$0], at: now) } == [1])
        #expect(sessions.admits(last, at: now))
    }

    @Test(
        "malformed stored sessions are ignored", arguments: ["{}", "[]", #"{"port":70000,"sessions":[]}"#])
    func nonsense(text: String) throws {
        #expect(try PageSessions(JSON(parsing: text.utf8)) == nil)
    }
}
