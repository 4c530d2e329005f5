import FocusCore
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("What several servers change at once in PostgreSQL", .ends(within: .seconds(600)))
struct MembershipLockTests {
    private let database: DatabaseFixture
    private var number: Int64 { database.number }

    init() throws { database = try DatabaseFixture() }

    @Test(
        "a revocation waits for the device's requests at another server, and ends the invite that they made",
        arguments: [false, true])
    func askedForAsItIsShutOut(isTogether: Bool) throws {
        let token = try digest(7)
        var author = Author(1)
        let (segment, head) = try author.segment(2)
        func ask(_ transaction: any ServerTransaction) throws {
            #expect(try transaction.isMember(ServerFixture.member, of: number))
            try transaction.addSegment(segment, through: head, group: number)
        }
        let shutOut = try database.open().write { transaction in
            if isTogether {
                #expect(try #require(transaction.shared).withBatchedStatements { try ask(transaction) })
            } else {
                try ask(transaction)
            }
            try transaction.addInvite(
                token, group: number, bundle: [1], expires: ServerFixture.now + .seconds(600),
                by: ServerFixture.member)
            let shutOut = ThreadTask { [address = database.address, number = database.number] in
                try PostgreSQLServerStore(at: address, access: .existing).write {
                    try $0.revokeDevice(ServerFixture.member, inGroup: number, now: ServerFixture.now)
                }
            }
            #expect(try database.administrator.waitsForLocks(1) { shutOut.isOver })
            #expect(!shutOut.isOver)
            return shutOut
        }
        try shutOut.value()
        let invite = try database.open(as: 3).read { try $0.invite(token) }
        #expect(invite?.ended != nil && invite?.bundle == nil)
    }

    @Test("a roster that a transaction has counted isn't changed by others before its end")
    func counted() throws {
        let other = try database.open().write { transaction in
            let size = try transaction.rosterSize(of: number)
            let other = ThreadTask { [address = database.address, number = database.number] in
                try PostgreSQLServerStore(at: address, access: .existing).write {
                    try $0.putDevice(digest(1), inGroup: number, now: 1)
                }
            }
            #expect(try database.administrator.waitsForLocks(1) { other.isOver })
            // A server that only reads doesn't wait.
            #expect(try database.open(as: 3).read { try $0.rosterSize(of: number) } == size)
            return other
        }
        try other.value()
        #expect(try database.open().read { try $0.rosterSize(of: number) } == RosterSize(proved: 2))
    }

    @Test("two servers that revoke each other's devices at once both succeed, with retries")
    func shutOutAtOnce() throws {
        let devices = try (1...2).map { try digest(number: $0) }
        try database.open(as: 9).write { transaction in
            for device in devices { try transaction.putDevice(device, inGroup: number, now: 1) }
        }
        _ = try Meeting.run(2) { [address = database.address, number = database.number] place, meet in
            let store = try PostgreSQLServerStore(at: address, access: .existing, server: Int64(place + 1))
            var isFirst = true
            while true {
                do {
                    return try store.write { transaction in
                        // Both hold a shared lock on the group, and each needs an exclusive one.
                        #expect(try transaction.isMember(ServerFixture.member, of: number))
                        if isFirst { meet() }
                        isFirst = false
                        try transaction.revokeDevice(
                            devices[place], inGroup: number, now: ServerFixture.now)
                    }
                } catch let error as PostgreSQLError where error.isTransient {}
            }
        }
        let revoked = try database.open(as: 3).read { snapshot in
            try devices.map { try snapshot.device($0, in: number)?.revoked }
        }
        #expect(revoked == [ServerFixture.now, ServerFixture.now])
    }

    /// A segment to add to one replica.
    private struct Addition: Sendable {
        let segment: Segment
        let head: ReplicaHead
        let group: Int64
    }

    /// Stores all additions together. The result says whether they were stored.
    private func store(_ additions: [Addition]) -> ThreadTask<Bool> {
        ThreadTask { [address = database.address] in
            try PostgreSQLServerStore(at: address, access: .existing).write { transaction in
                try #require(transaction.shared).withBatchedStatements {
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
        let it = try database.open()
        // Two groups with a replica each, and the next segment of each replica.
        let next = try it.addGroups(2).map { place in
            var author = Author(1, group: place.group)
            let (first, firstHead) = try author.segment(1)
            try it.write { try $0.addSegment(first, through: firstHead, group: place.number) }
            let (segment, head) = try author.segment(1)
            return Addition(segment: segment, head: head, group: place.number)
        }
        let holder = database.administrator
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
        #expect(try it.read { try $0.logs().values.map(\.size.events).sorted() } == [0, 2, 2])
    }
}
