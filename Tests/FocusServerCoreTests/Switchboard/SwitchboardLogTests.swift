import FocusCore
import FocusServerStore
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerCore

@Suite("What a server says of its connections in its log", .ends(within: .seconds(300)))
struct SwitchboardLogTests {
    @Test("who comes and who leaves, and who isn't let in for want of a handshake")
    func connections() throws {
        let board = try SwitchboardFixture()
        let line = try board.connect(1)
        board.switchboard.received(Message.bye.encoded(), on: line.id)
        board.switchboard.closed(line, nil)
        let stranger = board.line()
        #expect(board.switchboard.arrives(stranger))
        board.switchboard.closed(stranger, "no certificate")
        #expect(board.book.events == ["connected", "client-left", "disconnected", "handshake-failed"])
    }

    @Test("a device that a command or another server has added")
    func added() throws {
        let board = try SwitchboardFixture(devices: 1)
        let devices = try (1...2).map { SwitchboardFixture.device(try digest($0), ServerFixture.group) }
        for _ in 1...2 { board.switchboard.handle([.reloaded(devices, [ServerFixture.group])]) }
        #expect(board.book.events == ["device-added"])
    }

    @Test("that others' changes can't be read, once, and that others took it for gone")
    func news() throws {
        let address = try ServerFixture.makeDatabase()
        let sql = try PostgreSQLConnection(to: address)
        let book = LogRecorder()
        var notices: [NewsPoller.Notice] = []
        let poller = NewsPoller(
            try NewsReader(at: address, place: "here", now: .zero), clock: ServerClock(greatestServed: .zero),
            log: book.log, write: { _ in }, tell: { notices.append($0) })
        _ = poller.begin()
        _ = try sql.rows("ALTER TABLE news RENAME TO elsewhere")
        for _ in 1...3 { _ = poller.refresh() }
        _ = try sql.rows("ALTER TABLE elsewhere RENAME TO news")
        #expect(book.events == ["news-not-read"])
        _ = poller.refresh()
        _ = try sql.rows("DELETE FROM servers")
        for _ in 1...5 { _ = poller.refresh() }
        #expect(book.events == ["news-not-read", "was-gone"])
        #expect(notices == [.wasGone])
        poller.end()
    }
}
