import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

/// Tests of the limits on one group's connections, and on the memory held for them.
@Suite struct GroupConnectionTests {
    private let hostile = GroupID(high: 7, low: 2)
    private let honest = GroupID(high: 8, low: 3)

    @Test(
        "if a group has too many connections, a device with the most loses one, never a device with one"
    )
    func perGroup() throws {
        let board = try SwitchboardFixture { $0.connectionsPerGroup = 6 }
        let single = try board.connect(1)
        let greedy = try (0..<4).map { _ in try board.connect(2) }
        let pair = try (0..<1).map { _ in try board.connect(3) }
        #expect(!([single] + greedy + pair).contains { $0.isClosed })
        let newcomer = try board.connect(4)
        #expect(greedy.map(\.isClosed) == [true, false, false, false])
        #expect(try greedy[0].refusal?.code == .rate && greedy[0].refusal?.retry == .after(10_000))
        // A device with the most connections makes room for its own next one.
        let more = try board.connect(2)
        #expect(greedy.map(\.isClosed) == [true, true, false, false])
        #expect(!([single, newcomer, more] + pair).contains { $0.isClosed })
        #expect(board.switchboard.known.count == 6)
    }

    @Test("each device of a group may have a connection, however few the group may have") func oneEach()
        throws
    {
        let board = try SwitchboardFixture { $0.connectionsPerGroup = 2 }
        let lines = try (1...9).map { try board.connect(UInt8($0)) }
        #expect(!lines.contains { $0.isClosed })
        let second = try board.connect(5)
        #expect(lines.filter(\.isClosed).map(\.number) == [lines[4].number])
        #expect(!second.isClosed)
    }

    /// Almost a whole frame of 1 MiB.
    private let almost: [UInt8] = [0, 0x10, 0, 0, 0x20] + [UInt8](repeating: 0, count: (1 << 20) - 16)

    @Test(
        "a hundred devices with sixteen almost whole frames each take no more memory than their group may have"
    )
    func almostWhole() throws {
        let devices = try (0..<100).map { try digest(number: $0) }
        let beside = try (200..<202).map { try digest(number: $0) }
        let board = try SwitchboardFixture([hostile: devices, honest: beside])
        let others = try beside.map { try board.enter($0) }
        var most = 0
        for device in devices {
            for _ in 0..<16 {
                let line = try board.enter(device)
                for start in stride(from: 0, to: almost.count, by: 64 << 10) where !line.isClosed {
                    board.switchboard.received(
                        Array(almost[start..<min(almost.count, start + 64 << 10)]), on: line.id)
                }
                most = max(most, board.switchboard.buffers.bytes(of: hostile))
            }
        }
        #expect(most <= 32 << 20)
        #expect(most > 16 << 20, "it is used")
        #expect(others.allSatisfy { !$0.isClosed })
        #expect(board.switchboard.buffers.bytes(of: honest) < 32 << 10)
        // The bytes that are counted equal the bytes that are held.
        let held = board.switchboard.clients.all.filter { $0.share.account == hostile && !$0.session.isOver }
            .reduce(0) { $0 + $1.session.heldBytes }
        #expect(board.switchboard.buffers.bytes(of: hostile) == held)
        for member in board.switchboard.clients.all { board.switchboard.closed(member.connection, nil) }
        #expect(board.switchboard.buffers.total == 0 && board.switchboard.known.count == 0)
    }

    @Test(
        "the connection that holds the most of its group ends with a time to return, at once if it takes nothing"
    )
    func biggest() throws {
        let devices = try (0..<3).map { try digest(number: $0) }
        let board = try SwitchboardFixture([hostile: devices]) { $0.buffersPerGroup = 1 << 20 }
        let lines = try devices.map { try board.enter($0) }
        board.switchboard.received(Array(almost.prefix(300 << 10)), on: lines[0].id)
        board.switchboard.received(Array(almost.prefix(600 << 10)), on: lines[1].id)
        #expect(!lines.contains { $0.isClosed })
        board.switchboard.received(Array(almost.prefix(400 << 10)), on: lines[2].id)
        #expect(lines.map(\.isClosed) == [false, true, false])
        #expect(try lines[1].refusal?.code == .busy && lines[1].refusal?.retry == .after(10_000))
        #expect(!lines[1].isAborted)
        // The first connection takes nothing of what it is sent.
        lines[0].isStuck = true
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: nil, body: [UInt8](repeating: 0, count: 500 << 10))
        board.switchboard.handle([.epochAdded(record, hostile, from: nil)])
        #expect(!lines[0].isClosed, "it may be on its way")
        board.switchboard.tick()
        #expect(lines[0].isAborted && !lines[2].isClosed)
    }

    @Test("a message to a whole group ends no connection that takes it") func sentToAll()
        throws
    {
        let devices = try (0..<100).map { try digest(number: $0) }
        let board = try SwitchboardFixture([honest: devices]) { $0.buffersPerGroup = 4 << 20 }
        let lines = try devices.map { try board.enter($0) }
        for line in lines { line.isStuck = true }
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: nil, body: [UInt8](repeating: 0, count: 500 << 10))
        board.switchboard.handle([.epochAdded(record, honest, from: nil)])
        for line in lines { line.isStuck = false }
        board.switchboard.tick()
        #expect(!lines.contains { $0.isClosed })
    }

    @Test("reads for laptops that take nothing count as soon as the next one begins")
    func readForStuck()
        throws
    {
        let devices = try (0..<40).map { try digest(number: $0) }
        let board = try SwitchboardFixture([honest: devices]) { $0.buffersPerGroup = 1 << 20 }
        let lines = try devices.map { try board.enter($0) }
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: nil, body: [UInt8](repeating: 0, count: 100 << 10))
        for line in lines {
            line.isStuck = true
            board.switchboard.handle([.epochs([record], lookedUp: 1, to: line.number)])
            let held = lines.filter { $0.isStuck && !$0.isClosed }.reduce(0) { $0 + $1.sent.count }
            #expect(held <= (1 << 20) + 2 * (101 << 10))
        }
        #expect(lines.count { $0.isClosed } >= 28)
    }

    @Test("beyond what all connections may hold, the group that holds the most makes room") func inAll()
        throws
    {
        let groups = (1...4).map { GroupID(high: 9, low: UInt64($0)) }
        let board = try SwitchboardFixture(
            Dictionary(
                uniqueKeysWithValues: try groups.enumerated().map { place, group in
                    (group, try (0..<3).map { try digest(number: place * 10 + $0) })
                })
        ) { $0.buffers = 4 << 20 }
        var lines: [[Line]] = []
        for place in groups.indices {
            lines.append(try (0..<3).map { try board.enter(digest(number: place * 10 + $0)) })
        }
        for line in lines[1] { board.switchboard.received(Array(almost.prefix(900 << 10)), on: line.id) }
        board.switchboard.received(Array(almost.prefix(900 << 10)), on: lines[0][0].id)
        #expect(!lines.joined().contains { $0.isClosed })
        board.switchboard.received(Array(almost.prefix(900 << 10)), on: lines[2][0].id)
        #expect(lines.map { $0.count { $0.isClosed } } == [0, 1, 0, 0])
        #expect(
            board.switchboard.state(.file(StoreFile(isThere: true, bytes: 1, free: 1))).bufferedBytes <= 4
                << 20)
    }
}
