import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServerCore

@Suite("Laptops that are told to come back")
struct ComingBackTests {
    private let one = GroupID(high: 8, low: 1)
    private let two = GroupID(high: 8, low: 2)
    private let board: SwitchboardFixture
    private let first: Digest
    private let second: Digest

    init() throws {
        first = try digest(0xA1)
        second = try digest(0xA2)
        board = try SwitchboardFixture([one: try (1...3).map { try digest($0) }, two: [try digest(9)]])
    }

    /// Returns the time after which each of `count` laptops is told to come back.
    private func comebacks(_ count: UInt8) throws -> [Duration] {
        let board = try SwitchboardFixture(devices: count)
        let lines = try (1...count).map { try board.connect($0, from: $0) }
        board.switchboard.stop()
        #expect(lines.allSatisfy { !$0.isClosed })
        board.switchboard.handle(CommitOutcome(isDrained: true))
        return try lines.map { line in
            let refusal = try #require(try line.refusal)
            #expect(refusal.code == .shuttingDown)
            #expect(line.isClosed)
            guard case .after(let time) = refusal.retry else { return 0 }
            return time
        }
    }

    @Test(
        "a server that stops tells every laptop when to come back, each at a time of its own, after it had time to start anew"
    )
    func spread() throws {
        #expect(try comebacks(1) == [1_000])
        let times = try comebacks(200)
        #expect(Set(times).count == 200)
        #expect(times.min() == 1_000)
        let last = Duration.milliseconds(1_000 + 199 * 20)
        #expect(times.max() == last)
        // At most fifty laptops come back in any second.
        for second in 0..<6 { #expect(times.count { $0.inSeconds == second } <= 50) }
        // None is asked to wait for longer than half a minute.
        #expect(Clients.comeback(999_999, of: 1_000_000) <= 31_000)
        #expect(Clients.comeback(0, of: 0) == 1_000)
    }

    @Test(
        "a server that stops waits at most a second for laptops to take their goodbye, also on connections ended before"
    )
    func goodbye() throws {
        let board = try SwitchboardFixture()
        let lines = try (1...3).map { try board.connect($0) }
        lines[0].isStuck = true
        board.switchboard.received(Message.bye.encoded(), on: lines[1].id)
        #expect(lines.map(\.goodbye) == [nil, nil, nil] && lines[1].isClosed)
        board.switchboard.stop()
        #expect(lines.map(\.goodbye) == [nil, nil, nil])
        board.switchboard.handle(CommitOutcome(isDrained: true))
        #expect(lines.map(\.goodbye) == [.seconds(1), .seconds(1), .seconds(1)])
    }

    @Test(
        "a server has stopped once all accepted uploads are answered and the last laptop has gone, and says so once"
    )
    func over() throws {
        let board = try SwitchboardFixture()
        let lines = try (1...2).map { try board.connect($0) }
        board.switchboard.stop()
        board.switchboard.stop()
        board.switchboard.closed(lines[0], nil)
        #expect(board.turns.ends == 0)
        board.switchboard.handle(CommitOutcome(isDrained: true))
        #expect(board.turns.ends == 0)
        board.switchboard.closed(lines[1], nil)
        #expect(board.turns.ends == 1)
        board.switchboard.closed(lines[1], nil)
        board.switchboard.handle(CommitOutcome(isDrained: true))
        board.switchboard.stop()
        #expect(board.turns.ends == 1)
        // There was no connection to end.
        let alone = try SwitchboardFixture()
        alone.switchboard.stop()
        alone.switchboard.handle(CommitOutcome(isDrained: true))
        #expect(alone.turns.ends == 1)
    }

    /// The keys that the writer is asked to note as told, by laptop.
    private func told(_ board: SwitchboardFixture) -> [Digest: Digest] {
        var told: [Digest: Digest] = [:]
        for case .told(let device, let key) in board.queue.writes { told[device] = key }
        return told
    }

    private func pass(_ seconds: Int64, _ board: SwitchboardFixture) {
        board.watch.seconds.withLock { $0 += seconds }
        board.switchboard.tick()
    }

    @Test(
        "a laptop connected when a key is announced connects again, and counts as told after its have")
    func announcing() throws {
        let board = try SwitchboardFixture()
        let line = try board.enter(digest(1))
        #expect(try line.welcomes.map(\.nextServerKey) == [nil])
        board.switchboard.change(to: ServerPin(first, next: second))
        // A connection younger than five seconds isn't ended, because it may be a command's.
        pass(4, board)
        #expect(!line.isClosed)
        pass(2, board)
        #expect(line.isClosed)
        let last = try line.messages.last
        #expect(last == .bye)
        #expect(board.book.events == ["connected", "renewing"])
        #expect(told(board) == [:])

        let again = try board.connect(1)
        #expect(try again.welcomes.map(\.nextServerKey) == [second])
        #expect(told(board) == [:], "whether the welcome arrives isn't known yet")
        board.say(.have(Have()), on: again)
        #expect(try told(board) == [digest(1): second])
        pass(40, board)
        #expect(!again.isClosed)
    }

    @Test("a laptop connected when the server's addresses change connects again, and is told of them")
    func movingAddresses() throws {
        let board = try SwitchboardFixture()
        board.switchboard.announce(["old.example"])
        let line = try board.enter(digest(1))
        #expect(try line.welcomes.map(\.addresses) == [["old.example"]])
        board.switchboard.announce(["new.example", "old.example"])
        pass(6, board)
        #expect(line.isClosed)
        let again = try board.enter(digest(1))
        #expect(try again.welcomes.map(\.addresses) == [["new.example", "old.example"]])
        pass(6, board)
        #expect(!again.isClosed)
    }

    @Test("laptops also connect again when an announcement is cancelled") func cancelling() throws {
        let board = try SwitchboardFixture()
        board.switchboard.change(to: ServerPin(first, next: second))
        let line = try board.enter(digest(1))
        board.switchboard.change(to: ServerPin(first))
        pass(6, board)
        #expect(line.isClosed)
        let again = try board.enter(digest(1))
        #expect(try again.welcomes.map(\.nextServerKey) == [nil])
    }

    @Test("a connection on which the former key was shown is told of the new one, and ends")
    func changingOver() throws {
        let board = try SwitchboardFixture()
        let line = board.line()
        #expect(board.switchboard.arrives(line))
        board.switchboard.change(to: ServerPin(second))
        board.switchboard.opened(line, try digest(1))
        board.greet(line)
        #expect(try line.welcomes.map(\.nextServerKey) == [second])
        pass(6, board)
        #expect(line.isClosed)
        let again = try board.enter(digest(1))
        #expect(try again.welcomes.map(\.nextServerKey) == [nil])
        pass(6, board)
        #expect(!again.isClosed)
    }

    @Test("if many are connected, a few at a time connect again") func fewAtATime() throws {
        let board = try SwitchboardFixture { $0.connectionsPerDevice = 100 }
        let lines = try (0..<120).map { try board.enter(digest(UInt8($0 % 9) + 1)) }
        board.switchboard.change(to: ServerPin(first, next: second))
        pass(6, board)
        #expect(lines.count(where: { $0.isClosed }) == 50)
        // The oldest connections end first.
        #expect(lines.prefix(50).allSatisfy { $0.isClosed })
        for line in lines.prefix(50) { board.switchboard.closed(line, nil) }
        pass(1, board)
        #expect(lines.count(where: { $0.isClosed }) == 100)
    }

    /// Reloads all devices. The key's row becomes `row`; if `row` is nil, the key has no row.
    private func reload(_ key: Digest, _ row: StoredDevice?) throws {
        let others = try [1, 2, 3].map { try digest($0) }.filter { $0 != key }.map {
            SwitchboardFixture.device($0, one)
        }
        let all = others + [SwitchboardFixture.device(try digest(9), two)] + (row.map { [$0] } ?? [])
        board.switchboard.handle([.reloaded(all, [one, two])])
    }

    @Test("laptops of a group of which the store has lost something connect again, one after the other")
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

    @Test("laptops connect again if the store lacks a device or a revocation", arguments: [false, true])
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

    @Test("groups are said to be gone in their order, if the store lacks several")
    func gone() throws {
        let groups = (1...8).map { GroupID(high: UInt64($0) << 56, low: $0) }
        let board = try SwitchboardFixture(Dictionary(uniqueKeysWithValues: groups.map { ($0, []) }))
        board.switchboard.handle([.reloaded([], [])])
        #expect(board.book.values(of: "group-deleted") == groups.map { .text($0.short) })
    }
}
