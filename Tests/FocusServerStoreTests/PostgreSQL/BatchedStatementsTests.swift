import FocusCore
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("What a batch stores together in PostgreSQL", .ends(within: .seconds(600)))
struct BatchedStatementsTests {
    /// A segment to add to one replica.
    private struct Addition: Sendable {
        let segment: Segment
        let head: ReplicaHead
        let group: Int64
    }

    private let address: PostgreSQLAddress

    init() throws { address = try TestPostgreSQL.running.makeDatabase() }

    /// Stores all additions together. The result says whether they were stored.
    private func store(_ additions: [Addition]) -> ThreadTask<Bool> {
        ThreadTask { [address] in
            try PostgreSQLServerStore(at: address, access: .existing).write { transaction in
                try transaction.together {
                    for addition in additions {
                        try transaction.addSegment(
                            addition.segment, through: addition.head, group: addition.group)
                    }
                }
            }
        }
    }

    @Test("of two servers that store the same replicas in different orders, one succeeds and none fails")
    func order() throws {
        let it = try PostgreSQLServerStore(at: address, access: .upgrading)
        // Two groups with a replica each, and the next segment of each replica.
        let next = try (1...2).map { (low: UInt64) in
            let id = GroupID(high: 0, low: low)
            let group = try it.write { try $0.addGroup(id, now: 1) }
            var author = Author(low, group: id)
            let (first, firstHead) = try author.segment(1)
            try it.write { try $0.addSegment(first, through: firstHead, group: group) }
            let (segment, head) = try author.segment(1)
            return Addition(segment: segment, head: head, group: group)
        }
        let holder = try PostgreSQLConnection(to: address)
        try holder.begin(.writing)
        _ = try holder.rows("SELECT 1 FROM heads WHERE group_number = $1 FOR UPDATE", next[0].group)
        var servers: [ThreadTask<Bool>] = []
        for additions in [next, next.reversed()] {
            servers.append(store(additions))
            #expect(try holder.waitsForLocks(servers.count))
        }
        try holder.commit()
        let stored = try servers.map { try $0.value() }
        #expect(stored.count == 2 && stored.contains(true) && stored.contains(false), "\(stored)")
        #expect(try it.read { try $0.logs().values.allSatisfy { $0.size.events == 2 } })
    }
}
