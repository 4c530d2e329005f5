import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing

@Suite("Keys that a server doesn't know and another one may")
struct UnknownKeyTests {
    private let board: SwitchboardFixture

    init() throws { board = try SwitchboardFixture(as: 1) }

    /// The connections for which a lookup was requested.
    private var lookedUp: [ConnectionID] {
        board.queue.reads.compactMap { if case .groups(_, let connection) = $0 { connection } else { nil } }
    }

    /// Opens a connection with a key that is unknown here. Its messages wait.
    private func comes() throws -> Line {
        let line = board.line()
        #expect(board.switchboard.arrives(line))
        board.switchboard.opened(line, try digest(0xC0))
        #expect(line.isPaused && lookedUp == [line.number])
        return line
    }

    private func hello(_ line: Line) {
        #expect(!line.isPaused)
        let hello = Hello(versions: [.one], purpose: .sync, sent: 0, program: "a test")
        board.switchboard.received(Message.hello(hello).encoded(), on: line.id)
    }

    @Test("a known key isn't looked up, and no key is if the store isn't shared")
    func known() throws {
        _ = try board.connect(1)
        #expect(lookedUp == [])
        let alone = try SwitchboardFixture()
        let line = try alone.connect(0xC0)
        #expect(try line.refusal?.code == .unknownDevice)
        #expect(alone.queue.reads.allSatisfy { if case .groups = $0 { false } else { true } })
    }

    @Test("a key that the store doesn't know either is unknown")
    func unknown() throws {
        let line = try comes()
        board.switchboard.handle([.groups([], to: line.number)])
        hello(line)
        #expect(try line.refusal?.code == .unknownDevice)
    }

    @Test("a key that the store knows comes in once its group is known here")
    func found() throws {
        let line = try comes()
        board.switchboard.handle([.groups([7], to: line.number)])
        #expect(line.isPaused)
        let asked = board.queue.writes.compactMap { request in
            if case .news(let news, let connection) = request { (news, connection) } else { nil }
        }
        #expect(asked.map(\.0) == [StoreNews(logs: [7], rosters: [7])] && asked.map(\.1) == [line.number])
        let group = GroupID(high: 0, low: 7)
        board.switchboard.handle([
            .groupAdded(GroupIndex(number: 7, group: group, created: 0)),
            .roster([SwitchboardFixture.device(try digest(0xC0), group)]), .caughtUp(line.number),
        ])
        hello(line)
        board.switchboard.handle([.caughtUp(line.number)])
        let welcome = try line.messages.compactMap {
            if case .welcome(let welcome) = $0 { welcome } else { nil }
        }
        #expect(welcome.map(\.group) == [group])
    }

    @Test("a key needn't be looked up any more once its connection is over")
    func over() throws {
        let line = try comes()
        board.switchboard.closed(line, nil)
        let over = board.queue.reads.compactMap {
            if case .ended(let connection) = $0 { connection } else { nil }
        }
        #expect(over == [line.number])
    }

    @Test("if the lookup fails, the connection ends, and the device isn't called unknown")
    func failed() throws {
        let line = try comes()
        board.switchboard.handle([.failed(to: line.number)])
        #expect(line.isAborted && line.sent.isEmpty)
    }

    @Test("a connection that ends before it is known, or as the server stops, is forgotten")
    func ended() throws {
        let line = try comes()
        board.switchboard.closed(line, nil)
        board.switchboard.handle([.groups([], to: line.number)])
        #expect(line.isPaused)
        let late = try { () in
            let line = board.line()
            #expect(board.switchboard.arrives(line))
            board.switchboard.opened(line, try digest(0xC1))
            return line
        }()
        board.switchboard.stop()
        #expect(late.isAborted)
    }
}
