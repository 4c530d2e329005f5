import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing

@Suite("Groups of which somebody is connected to one of several servers")
struct FollowedGroupsTests {
    private let board: SwitchboardFixture

    init() throws { board = try SwitchboardFixture(as: 1) }

    /// The connections for which the writer was asked to read other servers' changes.
    private func asked(_ board: SwitchboardFixture) -> [ConnectionID?] {
        board.queue.writes.compactMap { request in
            if case .follow(ServerFixture.group, let connection) = request { connection } else { nil }
        }
    }

    /// The number of times the writer was told that nobody is connected any more.
    private var ends: Int {
        board.queue.writes.count {
            if case .unfollow(ServerFixture.group) = $0 { true } else { false }
        }
    }

    private func welcome(_ line: Line) throws -> Welcome? {
        try line.messages.lazy.compactMap {
            if case .welcome(let welcome) = $0 { welcome } else { nil }
        }.first
    }

    @Test(
        "a group's first laptop is welcomed once all of others' events are read, and later ones at once"
    )
    func first() throws {
        let first = try board.connect(1)
        let second = try board.connect(2)
        #expect(asked(board) == [first.number, second.number])
        for line in [first, second] { #expect(try welcome(line) == nil && !line.isClosed) }
        var author = Author(5)
        let segment = try author.write(3)
        let head = ReplicaHead(head: Head(seq: 3, chain: author.chain), stamp: Stamp(rawValue: 1))
        board.switchboard.handle([
            .caughtUp(first.number), .committed(EncodedPush(segment), head, ServerFixture.group),
            .caughtUp(99),
        ])
        #expect(try welcome(first) != nil && welcome(second) == nil)
        let third = try board.connect(3)
        #expect(try welcome(third)?.vector[segment.replica].seq == 3)
        board.switchboard.handle([.caughtUp(second.number)])
        #expect(try welcome(second)?.vector[segment.replica].seq == 3)
        #expect(asked(board) == [first.number, second.number])
    }

    @Test("a server that shares nothing welcomes at once")
    func alone() throws {
        let board = try SwitchboardFixture()
        #expect(try welcome(board.connect(1)) != nil && asked(board).isEmpty)
    }

    @Test("once a group's last laptop has gone, the writer is told, and the next one waits again")
    func last() throws {
        let lines = [try board.connect(1), try board.connect(2)]
        board.switchboard.handle([.caughtUp(lines[0].number)])
        board.switchboard.closed(lines[0], nil)
        #expect(ends == 0)
        board.switchboard.closed(lines[1], nil)
        board.switchboard.closed(lines[1], nil)
        #expect(ends == 1)
        // A connection that has closed isn't waited for.
        board.switchboard.handle([.caughtUp(lines[1].number)])
        let next = try board.connect(1)
        #expect(try welcome(next) == nil && asked(board).last == next.number)
    }

    @Test("a laptop revoked while it waits isn't welcomed")
    func shutOut() throws {
        let line = try board.connect(1)
        let device = SwitchboardFixture.device(try digest(1), ServerFixture.group, revoked: 1)
        board.switchboard.handle([.roster([device]), .caughtUp(line.number)])
        #expect(try welcome(line) == nil && line.refusal?.code == .revoked)
        #expect(ends == 1)
    }

    @Test("a server that stops while somebody waits says so")
    func stops() throws {
        let line = try board.connect(1)
        board.switchboard.stop()
        board.switchboard.handle([.barrier])
        #expect(try line.refusal?.code == .shuttingDown)
    }
}
