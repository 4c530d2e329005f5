import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import Foundation
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

/// Tests of servers that share a database. One server needs rows that another server has locked.
@Suite("Writers that wait for each other's locks", .ends(within: .seconds(600)))
struct LockingTests {
    private let database: DatabaseFixture
    private var number: Int64 { database.number }

    init() throws { database = try DatabaseFixture() }

    /// Returns the writer of the server with this number.
    private func writer(as server: Int64) throws -> LogWriter {
        let writer = try LogWriter(on: database.open(as: server))
        writer.add(writer.groups.keys.map { .follow($0, for: nil) })
        return writer
    }

    @Test("requests of a device that another server is revoking have no effect", arguments: 1...2)
    func shutOutAsItAsks(groups count: Int) throws {
        // With a second group, the batch stores both groups together.
        let other = try #require(try database.open().addGroups(1).first)
        let (own, others) = (try Author(1).written(2), try Author(2, group: other.group).written(2))
        var requests: [WriterRequest] = [
            .merge(own, ServerFixture.group, by: ServerFixture.member, from: 1)
        ]
        if count == 2 { requests.append(.merge(others, other.group, by: other.device, from: 2)) }
        let asked = try database.open().write { transaction in
            try transaction.revokeDevice(ServerFixture.member, inGroup: number, now: ServerFixture.now)
            let asked = ThreadTask { [address = database.address, requests] in
                try LogWriter(on: PostgreSQLServerStore(at: address, access: .existing)).batches(requests)
                    .flatMap { $0 }
            }
            #expect(try database.administrator.waitsForLocks(1) { asked.isOver })
            #expect(!asked.isOver)
            return asked
        }
        let outcomes = try asked.value()
        #expect(outcomes.contains { if case .ended(_, to: 1) = $0 { true } else { false } })
        #expect(outcomes.compactMap(\.ack).count == count - 1)
        #expect(try database.open(as: 3).read { try $0.lastSeq(of: own.replica, in: number) } == 0)
    }

    @Test("several servers accept the same revocation at once, without a repetition")
    func toldAtOnce() throws {
        let meeting = DispatchGroup()
        for _ in 0..<3 { meeting.enter() }
        let servers = (0..<3).map { index in
            ThreadTask { [address = database.address] in
                let writer = Result {
                    try LogWriter(
                        on: PostgreSQLServerStore(at: address, access: .existing, server: Int64(index + 1)))
                }
                try? writer.get().add([.follow(ServerFixture.group, for: nil)])
                // The server also leaves after a failure, because otherwise the others would wait for ever.
                meeting.leave()
                meeting.wait()
                var tallies: [BatchTally] = []
                for round in 0..<20 {
                    let entry = RosterEntry(device: try digest(number: 100 + round), isRevoked: true)
                    let request = WriterRequest.ask(.roster([entry]), ServerFixture.group, from: 1)
                    for case .batch(let tally) in try writer.get().batches([request]).joined() {
                        tallies.append(tally)
                    }
                }
                return tallies
            }
        }
        for server in servers {
            #expect(try server.value().allSatisfy { $0.problem == nil && $0.failures == 0 })
        }
        let devices = try database.open().read { try $0.devices(of: number) }
        #expect(devices.count { $0.revoked != nil } == 20)
    }

    @Test(
        "if a group's rows are locked, others' uploads are stored, and that group is told to try again"
    )
    func heldGroup() throws {
        let others = try database.open().addGroups(3)
        let writer = try writer(as: 1)
        var author = Author(1)
        let uploads = [try author.write(2), try author.write(2)]
        func own(_ place: Int) -> WriterRequest {
            .merge(uploads[place], ServerFixture.group, by: ServerFixture.member, from: 9)
        }
        #expect(writer.batches([own(0)]).joined().compactMap(\.ack).map(\.seq) == [2])
        try database.administrator.begin(.writing)
        _ = try database.administrator.rows("SELECT 1 FROM heads WHERE group_number = $1 FOR UPDATE", number)
        let requests = try others.map { other in
            WriterRequest.merge(
                try Author(1, group: other.group).written(3), other.group, by: other.device, from: 1)
        }
        let outcomes = writer.batches([own(1)] + requests).flatMap { $0 }
        let answers = outcomes.compactMap(\.ack)
        #expect(answers.filter { $0.stop == nil }.map(\.seq) == [3, 3, 3])
        #expect(answers.filter { $0.stop != nil }.map(\.seq) == [2])
        #expect(answers.compactMap(\.stop) == [.internal])
        database.administrator.rollBack()
        #expect(writer.batches([own(1)]).joined().compactMap(\.ack).map(\.seq) == [4])
        #expect(try database.open(as: 3).check().problems == [])
        #expect(try self.writer(as: 4).groups == writer.groups)
    }

    @Test("if all groups' rows are locked, the writer gives up before it has waited for each")
    func allHeld() throws {
        let groups = try database.open().addGroups(20)
        let writer = try writer(as: 1)
        var authors = groups.map { Author(1, group: $0.group) }
        func requests() throws -> [WriterRequest] {
            try groups.indices.map { place in
                .merge(try authors[place].write(1), groups[place].group, by: groups[place].device, from: 1)
            }
        }
        _ = writer.batches(try requests())
        try database.administrator.begin(.writing)
        _ = try database.administrator.rows("SELECT 1 FROM heads FOR UPDATE")
        let outcomes = writer.batches(try requests()).flatMap { $0 }
        #expect(outcomes.compactMap(\.ack).map(\.stop) == groups.map { _ in .internal })
        // The writer gave up before it had tried each group.
        for case .batch(let tally) in outcomes { #expect(tally.problem?.isBusy == true) }
        database.administrator.rollBack()
    }

    @Test("the database ends a server that stands still within a batch, and keeps nothing of the batch")
    func standsStill() throws {
        let other = try #require(try database.open().addGroups(1).first)
        var author = Author(1)
        let (first, firstHead) = try author.segment(2)
        let meeting = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let still = ThreadTask { [address = database.address, number = database.number] in
            let store = try PostgreSQLServerStore(at: address, access: .existing, server: 1)
            return Result {
                try store.write { transaction in
                    try transaction.addSegment(first, through: firstHead, group: number)
                    // This query makes sure that the segment has reached the database.
                    _ = try transaction.lastSeq(of: first.replica, in: number)
                    meeting.signal()
                    goesOn.wait()
                }
            }
        }
        meeting.wait()
        let writer = try writer(as: 2)
        let requests: [WriterRequest] = [
            .merge(first, ServerFixture.group, by: ServerFixture.member, from: 1),
            .merge(try Author(1, group: other.group).written(3), other.group, by: other.device, from: 2),
        ]
        // The other group's events are stored at once, the events of the locked group once the database
        // releases the lock.
        var acknowledged: [UInt64] = writer.batches(requests).joined().compactMap(\.ack).map(\.seq)
        #expect(acknowledged.contains(3) && !acknowledged.contains(2))
        while !acknowledged.contains(2) {
            acknowledged += writer.batches([requests[0]]).joined().compactMap(\.ack).map(\.seq)
        }
        goesOn.signal()
        guard case .failure = try still.value() else {
            Issue.record("what it wrote was kept")
            return
        }
        #expect(try database.open(as: 3).read { try $0.logs() } == writer.groups)
        #expect(try database.open(as: 3).check().problems == [])
    }
}

extension Author {
    /// Returns the next `count` events, without changing this author.
    fileprivate func written(_ count: Int) throws -> Segment {
        var copy = self
        return try copy.write(count)
    }
}
