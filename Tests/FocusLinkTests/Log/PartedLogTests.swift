import ClientSupport
import FocusCore
import FocusLink
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("A parted log")
struct PartedLogTests {
    private let folder: TemporaryFolder
    private let replica = ReplicaID(rawValue: 0xA)

    init() throws { folder = try TemporaryFolder() }

    /// Returns the log of a device that has set these goals. It writes as `replica`, as all its copies do.
    private func clone(_ name: String, _ goals: Int64...) throws -> SealedLog {
        let store = try DeviceStore(path: folder.file(name)) { replica }
        try TestGroup.enter(store)
        for (index, goal) in goals.enumerated() {
            _ = try store.author(now: seconds(Int64(index))) {
                try $0.write(.set(key: "dailyGoal", value: goal))
            }
        }
        let log = try #require(try SealedLog(store))
        _ = try log.vector()
        return log
    }

    /// Sends the events of a replica from `seq` on, as `other` has them, to `log`.
    private func send(_ replica: ReplicaID, from seq: UInt64, of other: SealedLog, to log: SealedLog) throws {
        let segment = try #require(try other.segment(of: replica, from: seq, bytes: 1 << 20))
        let merged = try log.merge(segment)
        #expect(merged.stop == nil)
        #expect(merged.head == Head(seq: segment.lastSeq, chain: try other.vector()[replica].chain))
    }

    @Test("two copies of a laptop that parted together, and later from each other, end with the same log")
    func clones() throws {
        let server = try clone("server", 1, 8)
        let one = try clone("one", 1, 2, 3, 4)
        let two = try clone("two", 1, 2, 3, 5, 6)

        #expect(try one.moveTail(of: replica, from: 2) == 3)
        try send(replica, from: 2, of: server, to: one)
        let branch = try #require(try one.vector().heads.keys.first { $0 != replica })

        try send(branch, from: 1, of: one, to: two)
        #expect(try two.moveTail(of: replica, from: 2) == 4)
        try send(replica, from: 2, of: server, to: two)
        #expect(try two.vector()[branch] == one.vector()[branch])
        let second = try #require(
            try two.vector().heads.keys.first { $0 != replica && $0 != branch })
        #expect(try two.store.ownReplicas().last == second)
        #expect(try two.vector()[second].seq == 2)

        try send(second, from: 1, of: two, to: one)
        #expect(try one.vector() == two.vector())
        #expect(try one.store.allStoredEvents() == two.store.allStoredEvents())
        #expect(try one.store.state() == two.store.state())
        #expect(try one.store.eventCount() == 2 + 3 + 2)
    }

    @Test(
        "of two connections that find the same parted tail, the second one leaves the server's events where they are"
    )
    func race() throws {
        let server = try clone("server", 1, 8)
        let agent = try clone("laptop", 1, 2, 3)
        let command = try #require(try SealedLog(agent.store))
        // Both connections have found that event 2 differs. The agent is first: it moves the tail and merges
        // the server's events.
        let found = try #require(try command.chains(of: replica, at: [2]).first)
        guard case .moved(let moved) = try agent.moveBranch(of: replica, from: found) else {
            Issue.record("not moved")
            return
        }
        #expect(moved.count == 2)
        try send(replica, from: 2, of: server, to: agent)
        let before = try agent.store.allStoredEvents()
        // The command gets its answer a round trip later.
        #expect(try command.moveBranch(of: replica, from: found) == .tailChanged)
        #expect(try agent.store.allStoredEvents() == before)
        #expect(try command.vector() == agent.vector())
    }

    @Test("a tail that one connection moved while the other merged what follows it isn't built on")
    func mergeRace() throws {
        let server = try clone("server", 1, 8, 9)
        let laptop = try clone("laptop", 1, 2, 3)
        let found = try #require(try laptop.chains(of: replica, at: [2]).first)
        let segment = try #require(try server.segment(of: replica, from: 3, bytes: 1 << 20))
        guard case .moved = try laptop.moveBranch(of: replica, from: found) else {
            Issue.record("not moved")
            return
        }
        let merged = try laptop.merge(segment)
        #expect(merged.stop == .gap)
        #expect(merged.head.seq == 1)
        #expect(merged.count == 0)
    }
}
