import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing

@Suite("Laptops of groups of which the store lacks what it had")
struct SetBackTests {
    private let one = GroupID(high: 8, low: 1)
    private let two = GroupID(high: 8, low: 2)
    private let board: SwitchboardFixture

    init() throws {
        board = try SwitchboardFixture([one: try (1...3).map { try digest($0) }, two: [try digest(9)]])
    }

    /// Reloads all devices. The key's row becomes `row`; if `row` is nil, the key has no row.
    private func reload(_ key: Digest, _ row: StoredDevice?) throws {
        let others = try [1, 2, 3].map { try digest($0) }.filter { $0 != key }.map {
            SwitchboardFixture.device($0, one)
        }
        let all = others + [SwitchboardFixture.device(try digest(9), two)] + (row.map { [$0] } ?? [])
        board.switchboard.handle([.reloaded(all, [one, two])])
    }

    @Test("connect again, one after the other, and other groups' laptops stay")
    func events() throws {
        let lines = try [1, 2].map { try board.enter(digest($0)) }
        let other = try board.enter(digest(9))
        board.switchboard.handle([.setBack(GroupIndex(number: 1, group: one, created: 0))])
        #expect(lines.allSatisfy(\.isClosed) && !other.isClosed)
        let waits = try lines.compactMap { line -> Duration? in
            guard case .after(let time)? = try line.refusal?.retry else { return nil }
            return time
        }
        #expect(waits.count == 2 && waits[0] < waits[1])
        #expect(board.book.events.contains("group-set-back"))
        // The laptops are welcomed as before.
        #expect(try !board.enter(digest(1)).isClosed)
    }

    @Test("connect again if the store lacks a device or a revocation", arguments: [false, true])
    func rosters(isRevoked: Bool) throws {
        let key = try digest(3)
        let row = SwitchboardFixture.device(key, one)
        if isRevoked { board.switchboard.handle([.device(SwitchboardFixture.device(key, one, revoked: 1))]) }
        let lines = try [1, 2].map { try board.enter(digest($0)) }
        let other = try board.enter(digest(9))
        try reload(key, isRevoked ? SwitchboardFixture.device(key, one, revoked: 1) : row)
        #expect(lines.allSatisfy { !$0.isClosed })
        try reload(key, isRevoked ? row : nil)
        #expect(lines.allSatisfy(\.isClosed) && !other.isClosed)
    }

    @Test("are said to be gone in the groups' order, if the store lacks several")
    func gone() throws {
        let groups = (1...8).map { GroupID(high: UInt64($0) << 56, low: $0) }
        let board = try SwitchboardFixture(Dictionary(uniqueKeysWithValues: groups.map { ($0, []) }))
        board.switchboard.handle([.reloaded([], [])])
        #expect(board.book.values(of: "group-deleted") == groups.map { .text($0.short) })
    }
}
