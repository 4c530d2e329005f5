import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of the order of turns at the writer, the limit of a batch, and the groups that a failure concerns.
@Suite struct TurnTests {
    private let group = ServerFixture.group
    private let other = GroupID(high: 7, low: 7)

    private let fixture: ServerFixture
    /// A writer on the fixture's store, with two groups.
    private let writer: LogWriter

    init() throws {
        fixture = try ServerFixture()
        let other = self.other
        try fixture.store.write { try $0.addGroupWithEpoch(other, now: ServerFixture.now) }
        writer = try TurnTests.writer(fixture)
    }

    /// Returns a new writer on the fixture's store.
    private static func writer(
        _ fixture: ServerFixture, _ limits: ServerLimits = ServerLimits()
    ) throws -> LogWriter {
        try LogWriter(on: SQLiteServerStore(at: fixture.folder.data.store, access: .readWrite), limits)
    }

    /// Writes two events of the group to the store, without the writer's knowledge.
    private func writtenElsewhere(by author: inout Author) throws -> Segment {
        let segment = try author.write(2)
        let head = ReplicaHead(head: Head(seq: 2, chain: author.chain), stamp: .zero)
        try fixture.store.write {
            try $0.addSegment(segment, through: head, group: try fixture.name.number)
        }
        return segment
    }

    @Test("a press is in the next batch, however much another group has handed in before")
    func fair() throws {
        var (many, one) = (Author(1), Author(2, group: other))
        let flood = try (0..<100).map { _ in
            WriterRequest.merge(try many.write(500), group, by: try digest(1), from: 1)
        }
        try writer.enqueue(flood)
        try writer.enqueue([.merge(try one.write(1), other, by: try digest(2), from: 2)])
        let outcomes = writer.commitBatch()
        #expect(outcomes.answers.contains { if case .merged(_, _, nil, to: 2) = $0 { true } else { false } })
        #expect(!writer.isIdle)
        // The batch itself kept to its limit.
        #expect(outcomes.tally.events <= Work.batch + 500)
    }

    @Test("a batch ends at its limit of work, however many groups wait") func bounded() throws {
        let groups = (1...12).map { GroupID(high: 9, low: UInt64($0)) }
        for group in groups {
            try fixture.store.write { try $0.addGroupWithEpoch(group, now: ServerFixture.now) }
        }
        let writer = try TurnTests.writer(fixture)
        for (place, group) in groups.enumerated() {
            var author = Author(UInt64(place), group: group)
            let connection = ConnectionID(place)
            try writer.enqueue(
                try (0..<8).map { _ in
                    .merge(try author.write(500), group, by: try digest(UInt8(place)), from: connection)
                })
        }
        var batches = 0
        while !writer.isIdle {
            let tally = writer.commitBatch().tally
            #expect(tally.events <= Work.batch + 500)
            batches += 1
        }
        #expect(batches >= 12 * 8 * 500 / (Work.batch + 500))
        #expect(groups.map { writer.groups[$0]?.size.events } == Array(repeating: 4_000, count: 12))
    }

    @Test("a barrier is answered once all earlier requests are done") func barrier() throws {
        var author = Author(1)
        try writer.enqueue(
            try (0..<10).map { _ in .merge(try author.write(2_000), group, by: try digest(1), from: 1) })
        try writer.enqueue([.barrier])
        while writer.groups[group]?.size.events != 20_000 {
            #expect(!writer.commitBatch().isDrained || writer.groups[group]?.size.events == 20_000)
        }
        #expect(writer.isIdle)
    }

    @Test(
        "a group whose rows contradict its log fails alone: others in the same batch are stored, and charged once"
    )
    func ownFailure() throws {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (1, 10)
        (limits.groupEventsPerSecond, limits.groupBurst) = (1, 10)
        let writer = try TurnTests.writer(fixture, limits)
        var (bad, good) = (Author(1), Author(2, group: other))
        let segment = try writtenElsewhere(by: &bad)
        let invite = InviteRequest(tokenHash: try digest(3), bundle: [1], lifetime: 60_000)
        let outcomes = try writer.work([
            .ask(.createInvite(invite), group, by: try digest(1), from: 1),
            .merge(segment, group, by: try digest(1), from: 1),
            .merge(try good.write(8), other, by: try digest(2), from: 2),
        ])
        let stops = outcomes.answers.compactMap { outcome -> [ConnectionID: RefusalCode?]? in
            if case .merged(_, _, let stop, let connection) = outcome {
                [connection: stop?.code]
            } else {
                nil
            }
        }
        #expect(stops == [[1: .internal], [2: nil]])
        // The group's other requests in that turn are rolled back and refused too.
        #expect(
            outcomes.answers.contains { if case .answered(_, .refused, to: 1) = $0 { true } else { false } })
        #expect(try fixture.store.read { try $0.invite(digest(3)) } == nil)
        let tally = try #require(outcomes.last?.tally)
        #expect(tally.events == 8 && tally.failures == 1 && tally.problem == nil)
        #expect(writer.groups[group]?.head(of: bad.replica) == .empty)
        #expect(writer.groups[group]?.size == GroupSize())
        #expect(try fixture.store.read { try $0.logs() }[other] == writer.groups[other])
        // Later requests find the writer unchanged.
        let stopsLater = try [2, 1].map { count in
            try writer.work([.merge(try good.write(count), other, by: try digest(2), from: 2)]).stops
        }
        #expect(stopsLater == [[nil], [.rate]])
    }

    @Test("a group whose requests all fail holds nobody up, however many there are") func failures() throws {
        var (bad, good) = (Author(1), Author(2, group: other))
        let known = try bad.write(1)
        let later = try bad.write(2)
        _ = try self.writer.work([known, later].map { .merge($0, group, by: try digest(1), from: 1) })
        try fixture.compact()
        try fixture.store.database.run(
            "UPDATE segments SET packed = x'00' WHERE replica = ?", bad.replica.rawValue)
        // A server that has just started has no rows in memory.
        let writer = try TurnTests.writer(fixture)
        for connection in [ConnectionID(1), 3] {
            try writer.enqueue(
                try (0..<20).map { _ in .merge(known, group, by: try digest(1), from: connection) })
        }
        try writer.enqueue([.merge(try good.write(1), other, by: try digest(2), from: 2)])
        let outcomes = [writer.commitBatch()]
        #expect(outcomes.acks.contains { $0.stop == .internal })
        #expect(outcomes.acks.contains { $0.seq == 1 && $0.stop == nil })
        #expect(!writer.isIdle)
    }

    @Test("if no batch can be stored, all groups are told so in turn") func failingBatches() throws {
        var (one, two) = (Author(1), Author(2, group: other))
        for number in 0..<20 {
            let record = EpochRecord(
                epoch: EpochID(rawValue: UInt64(20 + number)), predecessor: nil, body: [1])
            try writer.enqueue([.ask(.epoch(record), group, from: 1)])
        }
        try writer.enqueue([.merge(try one.write(1), group, by: try digest(1), from: 3)])
        try writer.enqueue([.merge(try two.write(1), other, by: try digest(2), from: 2)])
        try fixture.store.database.execute("ALTER TABLE epochs RENAME TO elsewhere")
        let first = writer.commitBatch()
        let outcomes = [first, writer.commitBatch()]
        #expect(outcomes.answers.contains { if case .merged(_, _, _, to: 2) = $0 { true } else { false } })
        #expect(!writer.isIdle)
    }

    @Test(
        "each request for a group is answered once, by its number, in the order asked, whether stored or not",
        arguments: [true, false])
    func answers(areStored: Bool) throws {
        func record(_ number: UInt64, after predecessor: EpochID? = ServerFixture.epoch) -> EpochRecord {
            EpochRecord(epoch: EpochID(rawValue: number), predecessor: predecessor, body: [1])
        }
        let invite = InviteRequest(tokenHash: try digest(3), bundle: [1], lifetime: 60_000)
        let asked: [GroupRequest] = [
            .revoke(try digest(7)), .roster([RosterEntry(device: try digest(8), isRevoked: false)]),
            .createInvite(invite), .createInvite(invite), .epoch(record(20, after: nil)),
            .successor(record(21), discounting: []), .successor(record(22), discounting: []),
        ]
        let requests = asked.enumerated().map { place, request in
            WriterRequest.ask(request, group, from: 1, number: UInt64(place + 1))
        }
        try writer.admit(requests)
        if !areStored { try fixture.store.database.execute("ALTER TABLE epochs RENAME TO elsewhere") }
        let outcomes = writer.batches(requests)
        let answers = outcomes.answers.compactMap(\.answer)
        #expect(answers.map(\.number.rawValue) == Array(1...7))
        let refusals: [RefusalCode] =
            areStored ? [.notAllowed] : Array(repeating: .internal, count: asked.count)
        #expect(outcomes.answers.compactMap(\.refusal) == refusals)
        #expect(answers.count { $0.answer == .done } == (areStored ? 5 : 0))
        guard areStored else { return }
        #expect(answers.last?.answer == .epochsExist([EpochID(rawValue: 21)]))
    }

    @Test("if even standing orders can't be read, all requests fail and none is tried for ever")
    func unreadable() throws {
        var (one, two) = (Author(1), Author(2, group: other))
        let requests: [WriterRequest] = [
            .reload, .merge(try one.write(1), group, by: try digest(1), from: 1),
            .merge(try two.write(1), other, by: try digest(2), from: 2),
        ]
        try fixture.store.database.execute("ALTER TABLE server RENAME TO elsewhere")
        try writer.enqueue(requests + [.barrier])
        let outcomes = writer.commitBatch()
        #expect(writer.isIdle)
        #expect([outcomes].stops == [.internal, .internal])
        #expect(outcomes.answers.contains { if case .notReloaded = $0 { true } else { false } })
        #expect(outcomes.isDrained)
        try fixture.store.database.execute("ALTER TABLE elsewhere RENAME TO server")
        #expect(try writer.work(requests).stops == [nil, nil])
    }

    @Test("if nothing can be stored, every log stays unchanged, and goes on later")
    func wholeFailure() throws {
        var (one, two) = (Author(1), Author(2, group: other))
        _ = try writer.work([
            .merge(try one.write(3), group, by: try digest(1), from: 1),
            .ask(
                .epoch(EpochRecord(epoch: EpochID(rawValue: 9), predecessor: nil, body: [1])), group, from: 1),
        ])
        let before = writer.groups
        let (first, second) = (try one.write(2), try two.write(2))
        let record = EpochRecord(epoch: EpochID(rawValue: 10), predecessor: nil, body: [1, 2])
        let requests: [WriterRequest] = [
            .merge(first, group, by: try digest(1), from: 1), .ask(.epoch(record), group, from: 1),
            .merge(second, other, by: try digest(2), from: 2),
        ]
        try fixture.store.database.execute("ALTER TABLE recent RENAME TO elsewhere")
        let outcomes = try writer.work(requests)
        let stops = outcomes.answers.compactMap {
            if case .merged(_, _, let stop, _) = $0 { stop } else { nil }
        }
        #expect(stops == [Ack.Stop](repeating: Ack.Stop(code: .internal, after: 5_000), count: 2))
        #expect(outcomes.answers.compactMap(\.refusal) == [.internal])
        #expect(outcomes.pushes.isEmpty)
        #expect(writer.groups == before)
        try fixture.store.database.execute("ALTER TABLE elsewhere RENAME TO recent")
        #expect(try writer.work(requests).stops == [nil, nil])
        #expect(try fixture.store.read { try $0.logs() } == writer.groups)
    }

    @Test("a group whose log can't be read doesn't keep the server from serving the others")
    func damaged() throws {
        var (one, two) = (Author(1), Author(2, group: other))
        let token = [UInt8](repeating: 7, count: 32)
        do {
            _ = try writer.work([
                .merge(try one.write(1), group, by: try digest(1), from: 1),
                .merge(try two.write(1), other, by: try digest(2), from: 2),
                .ask(
                    .createInvite(
                        InviteRequest(
                            tokenHash: try Digest(of: token.span.bytes), bundle: [1], lifetime: 60_000)),
                    group, by: try digest(1), from: 1),
            ])
        }
        try fixture.compact()
        try fixture.store.database.run(
            "UPDATE heads SET chain = x'00' WHERE replica = ?", one.replica.rawValue)
        let again = try TurnTests.writer(fixture)
        #expect(Set(again.groups.keys) == [other])
        let outcomes = try again.work([.merge(try two.write(1), other, by: try digest(2), from: 2)])
        #expect(outcomes.stops == [nil])
        // No connection is told that the group is gone.
        let enrol = Enrol(token: token, kind: .join)
        let ends = try again.work([.enrol(enrol, device: try digest(9), from: 3)]).answers.compactMap {
            outcome in
            if case .ended(let refusal, to: 3) = outcome { refusal } else { nil }
        }
        #expect(ends == [.unreadableLog])
    }

    @Test("a large group is deleted a few rows at a time, and others are served in between")
    func deleting() throws {
        var (many, one) = (Author(1), Author(2, group: other))
        for _ in 0..<200 {
            _ = try writer.work([
                .merge(try many.write(1, bodyLength: 1_936), group, by: try digest(1), from: 1)
            ])
        }
        func rows() throws -> Int {
            try fixture.store.database.first(
                "SELECT count(*) FROM segments WHERE group_number = ?", fixture.name.number
            ) { $0[0] } ?? 0
        }
        #expect(try rows() == 200)
        try fixture.store.write { transaction in
            try transaction.setDeleted(group: fixture.name.number, now: 1)
            try transaction.raiseRevision()
        }
        // The group can be brought again at once, with a new number.
        #expect(try fixture.store.read { try $0.number(of: group) } == nil)
        #expect(try StoreCheck(fixture.store).problems == [])
        // Uploads to it are stored nowhere.
        writer.add([
            .note([:], greatestServed: 0), .merge(try many.write(1), group, by: try digest(1), from: 1),
        ])
        var left = try rows()
        while !writer.isIdle {
            try writer.enqueue([.merge(try one.write(1), other, by: try digest(2), from: 2)])
            #expect([writer.commitBatch()].stops == [nil])
            #expect(try left - rows() <= 64)
            left = try rows()
            #expect(try StoreCheck(fixture.store).problems == [])
        }
        #expect(left == 0)
        #expect(try fixture.store.read { try $0.groupNumbers() }.keys.sorted() == [other])
        #expect(try fixture.store.database.first("SELECT count(*) FROM groups") { $0[0] as Int } == 1)
    }
}
