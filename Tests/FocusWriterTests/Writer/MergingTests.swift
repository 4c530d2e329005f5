import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

@Suite struct MergingTests {
    private let group = ServerFixture.group
    private var device: Digest { get throws { try digest(1) } }

    @Test("an upload is stored, acknowledged and pushed, and found again after a restart")
    func upload() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        let segment = try author.write(3)
        let outcomes = try fixture.run([.merge(segment, group, by: device, from: 9)])
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [3])
        #expect(outcomes.compactMap(\.push) == [EncodedPush(segment)])
        try fixture.expectStoreMatchesMemory()
        #expect(
            try fixture.store.read {
                try $0.events(of: author.replica, from: 1, bytes: 1000, in: fixture.name)
            } == segment)
        #expect(fixture.logs[group]?.head(of: author.replica).head == Head(seq: 3, chain: author.chain))
    }

    @Test("the same bytes again are acknowledged again, and not pushed again") func again() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        let first = try author.write(3)
        let second = try author.write(2)
        _ = try fixture.run([
            .merge(first, group, by: device, from: 9), .merge(second, group, by: device, from: 9),
        ])
        let outcomes = try fixture.run([
            .merge(first, group, by: device, from: 9), .merge(second, group, by: device, from: 9),
            .merge(first, group, by: device, from: 8),
        ])
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [5, 5, 5])
        #expect(outcomes.compactMap(\.ack).allSatisfy { $0.stop == nil })
        #expect(outcomes.compactMap(\.push).isEmpty)
    }

    @Test("a batch's events of one replica become one row and one push") func joined() throws {
        let fixture = try ServerFixture()
        var (one, other) = (Author(1), Author(2))
        let requests: [WriterRequest] = try [
            .merge(one.write(1), group, by: device, from: 9),
            .merge(other.write(1), group, by: device, from: 8),
            .merge(one.write(1), group, by: device, from: 9),
            .merge(one.write(2), group, by: device, from: 9),
        ]
        let outcomes = try fixture.run(requests)
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [1, 1, 2, 4])
        #expect(outcomes.compactMap(\.push).map(\.lastSeq) == [4, 1])
        let rows: Int = try fixture.store.database.first("SELECT count(*) FROM recent") { $0[0] } ?? 0
        #expect(rows == 2)
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a replica's trouble stops that replica alone, after its good events") func partial() throws {
        let fixture = try ServerFixture()
        var (ahead, gap, good) = (Author(1), Author(2), Author(3))
        let first = try ahead.write(2)
        let late = try ahead.write(1, ahead: 120_001)
        _ = try gap.write(1)
        let outcomes = try fixture.run([
            .merge(first, group, by: device, from: 9), .merge(late, group, by: device, from: 9),
            .merge(gap.write(1), group, by: device, from: 9),
            .merge(good.write(1), group, by: device, from: 9),
        ])
        let acks = outcomes.compactMap(\.ack)
        #expect(acks.map(\.seq) == [2, 2, 0, 1])
        #expect(acks.map(\.stop) == [nil, .clockAhead, .gap, nil])
    }

    @Test("an event at the limit of time is accepted, and later ones if they only follow it")
    func limit()
        throws
    {
        let fixture = try ServerFixture()
        var author = Author(1)
        let outcomes = try fixture.run([
            .merge(author.write(1, ahead: 120_000), group, by: device, from: 9),
            .merge(author.write(1_000), group, by: device, from: 9),
            .merge(author.write(1, ahead: 1), group, by: device, from: 9),
            .merge(author.write(1, ahead: 2), group, by: device, from: 9),
        ])
        #expect(outcomes.compactMap(\.ack).map(\.stop) == [nil, nil, nil, .clockAhead])
    }

    @Test("other events under the same names are refused, whether stored before or in the same batch")
    func parted() throws {
        let fixture = try ServerFixture()
        var (mine, twin) = (Author(1), Author(1))
        let shared = try mine.write(2)
        #expect(try twin.write(2) == shared)
        let outcomes = try fixture.run([
            .merge(shared, group, by: device, from: 9),
            .merge(mine.write(3, body: 1), group, by: device, from: 7),
            .merge(twin.write(2, body: 2), group, by: device, from: 8),
        ])
        #expect(outcomes.compactMap(\.ack).map(\.stop) == [nil, nil, .parted])
        let later = try fixture.run([.merge(twin.write(2, body: 2), group, by: device, from: 8)])
        #expect(later.compactMap(\.ack).map(\.stop) == [.parted])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a server that isn't sure of its clock accepts no new events, and acknowledges known ones")
    func clockNotSure() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        let old = try author.write(1)
        _ = try fixture.run([.merge(old, group, by: device, from: 9)])
        let outcomes = try fixture.run(
            [.merge(old, group, by: device, from: 9), .merge(author.write(1), group, by: device, from: 9)],
            clockSure: false)
        #expect(outcomes.compactMap(\.ack).map(\.stop) == [nil, .clockNotSure])
    }

    @Test("events of an unknown epoch are refused until its record arrives") func epochs() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        let next = EpochID(rawValue: 4)
        let segment = try author.write(1, epoch: next)
        let record = EpochRecord(epoch: next, predecessor: ServerFixture.epoch, body: [1])
        let rival = EpochRecord(epoch: EpochID(rawValue: 5), predecessor: ServerFixture.epoch, body: [2])
        let outcomes = try fixture.run([
            .merge(segment, group, by: device, from: 9), .ask(.epoch(record), group, from: 9),
            .merge(segment, group, by: device, from: 9),
            .ask(.epoch(rival), group, from: 8), .ask(.epoch(record), group, from: 8),
        ])
        #expect(outcomes.compactMap(\.ack).map(\.stop) == [.unknownEpoch, nil])
        // A given record is kept even beside another successor of its predecessor, because a restored server
        // can't know which of the two is right.
        let log = try #require(fixture.logs[group])
        #expect(log.bodies.map(\.rawValue).sorted() == [4, 5])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("an epoch that follows itself is refused, and never kept") func followsItself() throws {
        let fixture = try ServerFixture()
        let own = EpochRecord(
            epoch: ServerFixture.epoch, predecessor: ServerFixture.epoch, body: [1])
        let unknown = EpochRecord(
            epoch: EpochID(rawValue: 4), predecessor: EpochID(rawValue: 4), body: [1])
        let outcomes = try fixture.run([
            .ask(.successor(own, discounting: []), group, from: 9),
            .ask(.successor(unknown, discounting: []), group, from: 9),
            .ask(.epoch(own), group, from: 9), .ask(.epoch(unknown), group, from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.notAllowed, .notAllowed])
        let log = try #require(fixture.logs[group])
        #expect(log.bodies.isEmpty)
        #expect(Set(log.epochs.keys) == [ServerFixture.epoch])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("an upload is compared with events accepted earlier in the same batch") func sameBatch()
        throws
    {
        let fixture = try ServerFixture()
        let device = try digest(1)
        var author = Author(1)
        let segment = try author.write(10)
        let part = try #require(segment.prefix(through: 5))
        let outcomes = try fixture.run([
            .merge(segment, group, by: device, from: 8), .merge(part, group, by: device, from: 9),
        ])
        #expect(outcomes.compactMap(\.ack).map(\.stop) == [nil, nil])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a device that is revoked in the middle of a batch writes no more in it")
    func shutOutBetween() throws {
        let fixture = try ServerFixture()
        let device = try digest(1)
        try fixture.store.write { try $0.putDevice(device, inGroup: fixture.name.number, now: 0) }
        var author = Author(1)
        let (first, second) = (try author.write(3), try author.write(2))
        let outcomes = try fixture.run([
            .merge(first, group, by: device, from: 8),
            .ask(.revoke(device), group, from: 9),
            .merge(second, group, by: device, from: 8),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.revoked])
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [3])
    }

    @Test("of two laptops that propose an epoch's successor, one wins and the other is told the winner")
    func race()
        throws
    {
        let fixture = try ServerFixture()
        func record(_ number: UInt64, after predecessor: EpochID = ServerFixture.epoch) -> EpochRecord {
            EpochRecord(epoch: EpochID(rawValue: number), predecessor: predecessor, body: [UInt8(number)])
        }
        let (first, second, third) = (record(40), record(50), record(60))
        let outcomes = try fixture.run([
            .ask(.successor(first, discounting: []), group, from: 9),
            .ask(.successor(second, discounting: []), group, from: 8),
            // The laptop repeats its request, because the first answer was lost.
            .ask(.successor(first, discounting: []), group, from: 5),
            // A record that nobody can open doesn't block another one.
            .ask(.successor(third, discounting: [first.epoch]), group, from: 7),
            .ask(.successor(record(70, after: EpochID(rawValue: 99)), discounting: []), group, from: 6),
        ])
        let told = outcomes.compactMap { outcome -> String? in
            switch outcome {
            case .epochAdded(let record, _, from: nil): "all: \(record.epoch.rawValue)"
            case .answered(.epochsExist(let epochs), let connection):
                "\(connection): \(epochs.map(\.rawValue))"
            case .answered(.refused(let subject, let refusal), let connection):
                "\(connection): \(refusal.code.rawValue), \(subject == Digest(naming: EpochID(rawValue: 70)))"
            default: nil
            }
        }
        #expect(told == ["all: 40", "8: [40]", "5: [40]", "all: 60", "6: 13, true"])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("an epoch that is only named keeps nobody from making its predecessor's successor") func named()
        throws
    {
        let fixture = try ServerFixture()
        let named = EpochRecord(epoch: EpochID(rawValue: 40), predecessor: ServerFixture.epoch, body: [])
        let made = EpochRecord(epoch: EpochID(rawValue: 50), predecessor: ServerFixture.epoch, body: [1])
        let outcomes = try fixture.run([
            .ask(.epoch(named), group, from: 9), .ask(.successor(made, discounting: []), group, from: 8),
        ])
        let added = outcomes.compactMap { if case .epochAdded(let record, _, _) = $0 { record } else { nil } }
        #expect(added == [made])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a record with a body replaces only a record without one") func bodies() throws {
        let fixture = try ServerFixture()
        let epoch = ServerFixture.epoch
        let whole = EpochRecord(epoch: epoch, predecessor: EpochID(rawValue: 1), body: [1])
        let other = EpochRecord(epoch: epoch, predecessor: nil, body: [2])
        _ = try fixture.run([.ask(.epoch(whole), group, from: 9), .ask(.epoch(other), group, from: 9)])
        #expect(fixture.logs[group]?.bodies == [epoch])
        #expect(fixture.logs[group]?.epochs[epoch] == EpochID(rawValue: 1))
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a device that has written in a batch writes no more in it after its revocation")
    func revokedBetween()
        throws
    {
        let fixture = try ServerFixture()
        try fixture.store.write { try $0.putDevice(device, inGroup: fixture.name.number, now: 0) }
        var author = Author(1)
        let (first, second) = (try author.write(3), try author.write(2))
        let outcomes = try fixture.run([
            .merge(first, group, by: device, from: 8),
            .ask(.revoke(device), group, from: 9),
            .merge(second, group, by: device, from: 8),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.revoked])
    }

    @Test("a part of an upload accepted earlier in the same batch is recognized") func partOfTaken() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        let segment = try author.write(10)
        let part = try #require(segment.prefix(through: 5))
        let outcomes = try fixture.run([
            .merge(segment, group, by: device, from: 8), .merge(part, group, by: device, from: 9),
        ])
        let acks = outcomes.compactMap(\.ack)
        #expect(acks.count == 2)
        #expect(acks.allSatisfy { $0.stop == nil })
    }

    @Test("however much one batch takes from a replica, each row and each push fits into a frame")
    func joinedFrames() throws {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (100_000, 100_000)
        (limits.groupEventsPerSecond, limits.groupBurst) = (100_000, 100_000)
        let fixture = try ServerFixture(limits)
        var author = Author(1)
        var requests: [WriterRequest] = []
        // These uploads have various lengths, 3 MiB together. One in the middle is as long as a frame.
        for piece in 0..<60 {
            let count = piece == 30 ? 257 : piece % 2 == 0 ? 2 + piece / 2 : 3
            let segment = try author.write(count, bodyLength: SealedEvent.bodyLimit)
            requests.append(.merge(segment, group, by: try device, from: 9))
        }
        let outcomes = try fixture.run(requests)
        #expect(outcomes.compactMap(\.ack).allSatisfy { $0.stop == nil })
        let last = try #require(outcomes.compactMap(\.ack).last).seq
        let pushes = outcomes.compactMap(\.push)
        #expect(pushes.allSatisfy { $0.frame.count <= Limits.read + 64 })
        #expect(pushes.map(\.firstSeq) == [1] + pushes.dropLast().map { $0.lastSeq + 1 })
        #expect(pushes.last?.lastSeq == last)
        let longest: Int =
            try fixture.store.database.first("SELECT max(length(packed)) FROM segments") {
                $0[0]
            } ?? 0
        #expect(longest > 0 && longest <= Limits.read)
        // Adjacent uploads share a row if there is room.
        #expect(pushes.count < 60)
        try fixture.expectStoreMatchesMemory()
    }

    @Test("reads of rows as long as a frame, which older servers kept, fit into a frame")
    func longRows() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        // One row is just shorter than a read, and the next is as long as the longest upload.
        for count in [32, 257, 3, 257] {
            let segment = try author.write(count, bodyLength: SealedEvent.bodyLimit)
            let stamp = try #require(segment.events.max { $0.stamp < $1.stamp }?.stamp)
            try fixture.store.write {
                try $0.addSegment(
                    segment,
                    through: ReplicaHead(head: Head(seq: segment.lastSeq, chain: author.chain), stamp: stamp),
                    group: fixture.name.number)
            }
        }
        let name = try fixture.name
        for bytes in [Limits.read, Limits.packed] {
            var next: UInt64 = 1
            while let segment = try fixture.store.read({
                try $0.events(of: author.replica, from: next, bytes: bytes, in: name)
            }) {
                #expect(segment.firstSeq == next)
                #expect(segment.packed.count <= bytes)
                #expect(EncodedPush(segment).frame.count - 4 <= Limits.frame)
                next = segment.lastSeq + 1
            }
            #expect(next == 550)
        }
    }
}
