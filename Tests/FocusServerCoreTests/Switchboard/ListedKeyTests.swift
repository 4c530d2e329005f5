import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

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

    private func proofs(_ board: SwitchboardFixture) -> [GroupID] {
        board.queue.writes.compactMap { if case .prove(_, let group, _) = $0 { group } else { nil } }
    }

    @Test("a key that two groups list is offered the other one once it has turned the first down")
    func turnedDown() throws {
        let board = try board()
        for expected in [one, two, one] {
            let line = try board.connect(50)
            #expect(try line.welcomes.first?.group == expected)
            board.say(.bye, on: line)
            board.switchboard.closed(line, nil)
        }
        #expect(proofs(board).isEmpty)
    }

    @Test("a key that accepts a welcome belongs to that group, and its connections elsewhere end")
    func takes() throws {
        let board = try board()
        let first = try board.connect(50)
        board.say(.bye, on: first)
        board.switchboard.closed(first, nil)
        let (line, twin) = (try board.connect(50), try board.connect(50))
        board.say(.have(Have()), on: line)
        #expect(proofs(board) == [two])
        #expect(try twin.welcomes.first?.group == two)
        board.switchboard.handle([.device(try device(50, in: two, isProved: true))])
        #expect(!line.isClosed)
        #expect(!twin.isClosed)
        // The other group's listing no longer counts.
        board.switchboard.handle([.device(try device(50, in: one, revoked: 1))])
        #expect(try board.connect(50).welcomes.first?.group == two)
        #expect(!line.isClosed)

        let third = try board.connect(9)
        board.switchboard.handle([.device(try device(9, in: two))])
        #expect(!third.isClosed)
    }

    @Test("a connection to a group that only lists the key ends when the key belongs to another one")
    func elsewhere() throws {
        let board = try board()
        let line = try board.connect(50)
        #expect(try line.welcomes.first?.group == one)
        board.switchboard.handle([.device(try device(50, in: two, isProved: true))])
        #expect(try line.refusal?.code == .unknownDevice)
        #expect(try board.connect(50).welcomes.first?.group == two)
    }

    @Test(
        "to be listed as revoked shuts nobody out elsewhere: the key is unknown, and may come with an invite")
    func listedAsRevoked() throws {
        let board = try SwitchboardFixture()
        board.switchboard.handle([.device(try device(60, in: one, revoked: 1))])
        #expect(try board.connect(60).refusal?.code == .unknownDevice)
        let line = try board.connect(60, .enrol)
        board.say(.enrol(Enrol(token: [1], kind: .join)), on: line)
        #expect(try board.enrolments == [digest(60)])
        // A device that belonged here and was revoked stays shut out.
        board.switchboard.handle([.device(try device(9, in: one, isProved: true, revoked: 1))])
        #expect(try board.connect(9).refusal?.code == .revoked)
        #expect(try board.connect(9, .enrol).refusal?.code == .revoked)
    }

    @Test("a revocation is told to its own group alone, and of it the device's connections end")
    func told() throws {
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
        #expect(try board.connect(50).welcomes.first?.group == two)
        #expect(board.switchboard.deviceCount == 0)
        board.switchboard.handle([.reloaded([], [one])])
        #expect(try board.connect(50).refusal?.code == .unknownDevice)
    }

    @Test("a roster is ordered by the times of enrolment, in whatever order devices came and changed")
    func order() throws {
        var random = SeededGenerator(seed: 11)
        var rosters = Rosters()
        var expected: [Digest: StoredDevice] = [:]
        for _ in 0..<2_000 {
            let key = try digest(UInt8.random(in: 0..<60, using: &random))
            if Int.random(in: 0..<4, using: &random) == 0 {
                let removed = rosters.remove(key, from: ServerFixture.group)
                #expect(removed == expected.removeValue(forKey: key))
            } else {
                let device = StoredDevice(
                    key: key, group: ServerFixture.group, isProved: Bool.random(using: &random),
                    enrolled: SharedInstant(milliseconds: .random(in: 0..<20, using: &random)), lastSeen: 0,
                    revoked: Bool.random(using: &random) ? 1 : nil)
                rosters.put(device)
                expected[key] = device
            }
            let listed = rosters.roster(of: ServerFixture.group)
            #expect(listed == expected.values.sorted { $0.isListed(before: $1) })
            #expect(rosters.memberCount == expected.values.count { $0.isProved && $0.revoked == nil })
        }
        rosters.remove(ServerFixture.group)
        #expect(rosters.roster(of: ServerFixture.group).isEmpty)
        #expect(rosters.memberCount == 0)
    }
}
