import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore

@Suite("The memory that is held for connections")
struct ConnectionMemoryTests {
    private let one = GroupID(high: 1, low: 1)
    private let two = GroupID(high: 1, low: 2)
    private let limits: ServerLimits

    init() {
        var limits = ServerLimits()
        (limits.buffersPerGroup, limits.buffers) = (100, 200)
        self.limits = limits
    }

    /// Adds a connection with `bytes` bytes to an account.
    private func add(
        _ bytes: Int, to group: GroupID?, of memory: inout ConnectionMemory
    ) -> ConnectionMemory.Share {
        var share = ConnectionMemory.Share()
        if let group { memory.move(&share, to: group) }
        _ = memory.count(&share, sessionBytes: bytes)
        return share
    }

    /// Returns the account that holds too much after `group` has grown; empty if there is none.
    private func crowded(_ memory: ConnectionMemory, after group: GroupID?) -> [GroupID?] {
        memory.crowded(after: group, limits).map { [$0] } ?? []
    }

    @Test("it grows and shrinks with each connection, and nothing stays of those that have ended")
    func counting() {
        var memory = ConnectionMemory()
        var share = add(30, to: nil, of: &memory)
        share.lineBytes = 7
        let hasGrown = [30, 30, 3].map { memory.count(&share, sessionBytes: $0) }
        #expect(hasGrown == [true, false, false])
        #expect(memory.bytes(of: nil) == 10)
        memory.move(&share, to: one)
        #expect(memory.bytes(of: nil) == 0 && memory.bytes(of: one) == 10)
        let other = add(5, to: one, of: &memory)
        #expect(other.bytes == 5 && memory.bytes(of: one) == 15 && memory.total == 15)
        for _ in 0..<2 { memory.release(&share) }
        #expect(memory.bytes(of: one) == 5 && memory.total == 5)
    }

    @Test("a group may hold its limit, and no byte more; strangers have no limit of their own")
    func group() {
        var memory = ConnectionMemory()
        var share = add(100, to: one, of: &memory)
        #expect(crowded(memory, after: one) == [])
        _ = memory.count(&share, sessionBytes: 101)
        #expect(crowded(memory, after: one) == [one])
        // Only the account that has grown is compared with a group's limit.
        #expect(crowded(memory, after: two) == [])
        memory.release(&share)
        _ = add(101, to: nil, of: &memory)
        #expect(crowded(memory, after: nil) == [])
    }

    @Test("all may hold their limit; beyond it the one that holds the most makes room, the first of equals")
    func all() {
        var memory = ConnectionMemory()
        _ = add(90, to: two, of: &memory)
        _ = add(90, to: one, of: &memory)
        var share = add(20, to: nil, of: &memory)
        #expect(crowded(memory, after: nil) == [])
        _ = memory.count(&share, sessionBytes: 21)
        #expect(crowded(memory, after: nil) == [one])
        _ = memory.count(&share, sessionBytes: 90)
        #expect(crowded(memory, after: nil) == [nil])
        _ = add(1, to: two, of: &memory)
        #expect(crowded(memory, after: two) == [two])
    }

    @Test("of connections that hold the same, the oldest ends, and only as many as are too much")
    func oldest() throws {
        let devices = try (0..<8).map { try digest(number: $0) }
        let board = try SwitchboardFixture([one: devices]) { $0.buffersPerGroup = 1 << 20 }
        let lines = try devices.map { try board.enter($0) }
        board.settle()
        #expect(board.switchboard.clients.all.allSatisfy { $0.session.heldBytes == 0 })
        for line in lines.prefix(7) {
            line.heldBytes = 200 << 10
            board.say(.ping(sent: 1), on: line)
            board.settle()
        }
        #expect(lines.map(\.isClosed) == [true, true] + [Bool](repeating: false, count: 6))
    }
}
