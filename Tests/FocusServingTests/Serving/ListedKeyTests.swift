import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusServing
@testable import FocusWriter

/// Tests of connections with keys that groups list and that have never proved their group, with only the
/// switchboard.
@Suite struct ListedKeyTests {
    private let one = ServerFixture.group
    private let two = GroupID(high: 7, low: 7)

    private func device(
        _ byte: UInt8, in group: GroupID, isProved: Bool = false, revoked: SharedInstant? = nil
    ) throws -> StoredDevice {
        StoredDevice(
            key: try digest(byte), group: group, isProved: isProved, enrolled: 0, lastSeen: 0,
            revoked: revoked)
    }

    /// Returns a board with two groups that both list key 50.
    private func board() throws -> SwitchboardFixture {
        let board = try SwitchboardFixture()
        board.switchboard.handle([
            .groupAdded(GroupIndex(number: 2, group: two, created: 0)),
            .device(try device(50, in: one)), .device(try device(50, in: two)),
        ])
        return board
    }

    private func welcomed(_ line: Line) throws -> GroupID? {
        try line.messages.lazy.compactMap {
            if case .welcome(let welcome) = $0 { welcome.group } else { nil }
        }.first
    }

    private func say(_ message: Message, _ line: Line, _ board: SwitchboardFixture) {
        board.switchboard.received(message.encoded(), on: line.id)
    }

    private func proofs(_ board: SwitchboardFixture) -> [GroupID] {
        board.queue.writes.compactMap { if case .prove(_, let group, _) = $0 { group } else { nil } }
    }

    @Test("a key that two groups list is offered the other one once it has turned the first down")
    func turnedDown() throws {
        let board = try board()
        for expected in [one, two, one] {
            let line = try board.connect(50)
            #expect(try welcomed(line) == expected)
            say(.bye, line, board)
            board.switchboard.closed(line, nil)
        }
        #expect(proofs(board).isEmpty)
    }

    @Test("a key that accepts a welcome belongs to that group, and its connections elsewhere end")
    func takes()
        throws
    {
        let board = try board()
        let first = try board.connect(50)
        say(.bye, first, board)
        board.switchboard.closed(first, nil)
        let (line, twin) = (try board.connect(50), try board.connect(50))
        say(.have(Have()), line, board)
        #expect(proofs(board) == [two])
        #expect(try welcomed(twin) == two)
        board.switchboard.handle([.device(try device(50, in: two, isProved: true))])
        #expect(!line.isClosed)
        #expect(!twin.isClosed)
        // The other group's listing no longer counts.
        board.switchboard.handle([.device(try device(50, in: one, revoked: 1))])
        #expect(try welcomed(board.connect(50)) == two)
        #expect(!line.isClosed)

        let third = try board.connect(9)
        board.switchboard.handle([.device(try device(9, in: two))])
        #expect(!third.isClosed)
    }

    @Test("a connection to a group that only lists the key ends when the key belongs to another one")
    func elsewhere() throws {
        let board = try board()
        let line = try board.connect(50)
        #expect(try welcomed(line) == one)
        board.switchboard.handle([.device(try device(50, in: two, isProved: true))])
        #expect(try line.refusal?.code == .unknownDevice)
        #expect(try welcomed(board.connect(50)) == two)
    }

    @Test(
        "to be listed as revoked shuts nobody out elsewhere: the key is unknown, and may come with an invite")
    func listedAsRevoked() throws {
        let board = try SwitchboardFixture()
        board.switchboard.handle([.device(try device(60, in: one, revoked: 1))])
        #expect(try board.connect(60).refusal?.code == .unknownDevice)
        let line = try board.connect(60, .enrol)
        say(.enrol(Enrol(token: [1], kind: .join)), line, board)
        #expect(try board.enrolments == [digest(60)])
        // A device that belonged here and was revoked stays shut out.
        board.switchboard.handle([.device(try device(9, in: one, isProved: true, revoked: 1))])
        #expect(try board.connect(9).refusal?.code == .revoked)
        #expect(try board.connect(9, .enrol).refusal?.code == .revoked)
    }

    @Test("a revocation is told to its own group alone, and of it the device's connections end") func told()
        throws
    {
        let board = try board()
        let member = try board.connect(1)
        let unopened = board.line()
        board.switchboard.opened(unopened, try digest(2))
        board.switchboard.handle([.device(try device(61, in: two, revoked: 1))])
        #expect(try !member.messages.contains(.revoked(digest(61))))
        board.switchboard.handle([.device(try device(2, in: one, isProved: true, revoked: 1))])
        #expect(try member.messages.contains(.revoked(digest(2))))
        #expect(try unopened.refusal?.code == .revoked)
    }

    @Test("the rosters equal the store's after any changes") func reloaded() throws {
        let board = try board()
        let line = try board.connect(50)
        board.switchboard.handle([.reloaded([try device(50, in: two)], [one, two])])
        #expect(line.isClosed)
        #expect(try welcomed(board.connect(50)) == two)
        #expect(board.switchboard.rosters.memberCount == 0)
        board.switchboard.handle([.reloaded([], [one])])
        #expect(try board.connect(50).refusal?.code == .unknownDevice)
    }
}
