import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

@Suite struct MergingTests {
    private let group = ServerFixture.group
    private let fixture: ServerFixture
    private var device: Digest { get throws { try digest(1) } }

    init() throws { fixture = try ServerFixture() }

    @Test("an upload is stored, acknowledged and pushed, and found again after a restart")
    func upload() throws {
        var author = Author(1)
        let segment = try author.write(3)
        let outcomes = try fixture.run([.merge(segment, group, by: device, from: 9)])
        #expect(outcomes.seqs == [3])
        #expect(outcomes.pushes == [EncodedPush(segment)])
        try fixture.expectStoreMatchesMemory()
        #expect(
            try fixture.store.read {
                try $0.events(of: author.replica, from: 1, bytes: 1000, in: fixture.name)
            } == segment)
        #expect(fixture.logs[group]?.head(of: author.replica).head == Head(seq: 3, chain: author.chain))
    }

    @Test("the same bytes again are acknowledged again, and not pushed again") func again() throws {
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
        #expect(outcomes.seqs == [5, 5, 5])
        #expect(outcomes.acks.allSatisfy { $0.stop == nil })
        #expect(outcomes.pushes.isEmpty)
    }

    @Test("a replica's trouble stops that replica alone, after its good events") func partial() throws {
        var (ahead, gap, good) = (Author(1), Author(2), Author(3))
        let first = try ahead.write(2)
        let late = try ahead.write(1, ahead: 120_001)
        _ = try gap.write(1)
        let outcomes = try fixture.run([
            .merge(first, group, by: device, from: 9), .merge(late, group, by: device, from: 9),
            .merge(gap.write(1), group, by: device, from: 9),
            .merge(good.write(1), group, by: device, from: 9),
        ])
        let acks = outcomes.acks
        #expect(acks.map(\.seq) == [2, 2, 0, 1])
        #expect(acks.map(\.stop) == [nil, .clockAhead, .gap, nil])
    }

    @Test("an event at the limit of time is accepted, and later ones if they only follow it")
    func limit() throws {
        var author = Author(1)
        let outcomes = try fixture.run([
            .merge(author.write(1, ahead: 120_000), group, by: device, from: 9),
            .merge(author.write(1_000), group, by: device, from: 9),
            .merge(author.write(1, ahead: 1), group, by: device, from: 9),
            .merge(author.write(1, ahead: 2), group, by: device, from: 9),
        ])
        #expect(outcomes.stops == [nil, nil, nil, .clockAhead])
    }

    @Test("other events under the same names are refused, whether stored before or in the same batch")
    func parted() throws {
        var (mine, twin) = (Author(1), Author(1))
        let shared = try mine.write(2)
        #expect(try twin.write(2) == shared)
        let outcomes = try fixture.run([
            .merge(shared, group, by: device, from: 9),
            .merge(mine.write(3, body: 1), group, by: device, from: 7),
            .merge(twin.write(2, body: 2), group, by: device, from: 8),
        ])
        #expect(outcomes.stops == [nil, nil, .parted])
        let later = try fixture.run([.merge(twin.write(2, body: 2), group, by: device, from: 8)])
        #expect(later.stops == [.parted])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a server that isn't sure of its clock accepts no new events, and acknowledges known ones")
    func clockNotSure() throws {
        var author = Author(1)
        let old = try author.write(1)
        _ = try fixture.run([.merge(old, group, by: device, from: 9)])
        let outcomes = try fixture.run(
            [.merge(old, group, by: device, from: 9), .merge(author.write(1), group, by: device, from: 9)],
            clockSure: false)
        #expect(outcomes.stops == [nil, .clockNotSure])
    }

    @Test("events of an unknown epoch are refused until its record arrives") func epochs() throws {
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
        #expect(outcomes.stops == [.unknownEpoch, nil])
        // A given record is kept even beside another successor of its predecessor, because a restored server
        // can't know which of the two is right.
        let log = try #require(fixture.logs[group])
        #expect(log.bodies.map(\.rawValue).sorted() == [4, 5])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("an epoch that follows itself is refused, and never kept") func followsItself() throws {
        let own = EpochRecord(
            epoch: ServerFixture.epoch, predecessor: ServerFixture.epoch, body: [1])
        let unknown = EpochRecord(
            epoch: EpochID(rawValue: 4), predecessor: EpochID(rawValue: 4), body: [1])
        let outcomes = try fixture.run([
            .ask(.successor(own, discounting: []), group, from: 9),
            .ask(.successor(unknown, discounting: []), group, from: 9),
            .ask(.epoch(own), group, from: 9), .ask(.epoch(unknown), group, from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == Array(repeating: .notAllowed, count: 4))
        let log = try #require(fixture.logs[group])
        #expect(log.bodies.isEmpty)
        #expect(Set(log.epochs.keys) == [ServerFixture.epoch])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("an upload is compared with events accepted earlier in the same batch")
    func sameBatch() throws {
        var author = Author(1)
        let segment = try author.write(10)
        let part = try #require(segment.prefix(through: 5))
        let outcomes = try fixture.run([
            .merge(segment, group, by: device, from: 8), .merge(part, group, by: device, from: 9),
        ])
        #expect(outcomes.stops == [nil, nil])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a device that is revoked in the middle of a batch writes no more in it")
    func shutOutBetween() throws {
        try fixture.store.write { try $0.putDevice(device, inGroup: fixture.name.number, now: 0) }
        var author = Author(1)
        let (first, second) = (try author.write(3), try author.write(2))
        let outcomes = try fixture.run([
            .merge(first, group, by: device, from: 8),
            .ask(.revoke(device), group, from: 9),
            .merge(second, group, by: device, from: 8),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.revoked])
        #expect(outcomes.seqs == [3])
    }

    @Test("of two laptops that propose an epoch's successor, one wins and the other is told the winner")
    func race() throws {
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
        let told = outcomes.answers.compactMap { outcome -> String? in
            switch outcome {
            case .epochAdded(let record, _, from: nil): "all: \(record.epoch.rawValue)"
            case .answered(_, .done, let connection): "\(connection): done"
            case .answered(_, .epochsExist(let epochs), let connection):
                "\(connection): \(epochs.map(\.rawValue))"
            case .answered(_, .refused(let refusal), let connection):
                "\(connection): \(refusal.code.rawValue)"
            default: nil
            }
        }
        // The answers follow the changes.
        #expect(told == ["all: 40", "all: 60", "9: done", "8: [40]", "5: [40]", "7: done", "6: 13"])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("an epoch that is only named keeps nobody from making its predecessor's successor")
    func named() throws {
        let named = EpochRecord(epoch: EpochID(rawValue: 40), predecessor: ServerFixture.epoch, body: [])
        let made = EpochRecord(epoch: EpochID(rawValue: 50), predecessor: ServerFixture.epoch, body: [1])
        let outcomes = try fixture.run([
            .ask(.epoch(named), group, from: 9), .ask(.successor(made, discounting: []), group, from: 8),
        ])
        let added = outcomes.answers.compactMap {
            if case .epochAdded(let record, _, _) = $0 { record } else { nil }
        }
        #expect(added == [made])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a record with a body replaces only a record without one") func bodies() throws {
        let epoch = ServerFixture.epoch
        let whole = EpochRecord(epoch: epoch, predecessor: EpochID(rawValue: 1), body: [1])
        let other = EpochRecord(epoch: epoch, predecessor: nil, body: [2])
        _ = try fixture.run([.ask(.epoch(whole), group, from: 9), .ask(.epoch(other), group, from: 9)])
        #expect(fixture.logs[group]?.bodies == [epoch])
        #expect(fixture.logs[group]?.epochs[epoch] == EpochID(rawValue: 1))
        try fixture.expectStoreMatchesMemory()
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
        #expect(outcomes.acks.allSatisfy { $0.stop == nil })
        let last = try #require(outcomes.acks.last).seq
        let pushes = outcomes.pushes
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

    /// The number of events in each row of a replica that `uploaded` stores.
    private static let rows = [4, 1, 7, 3, 5]

    /// Uploads a replica's events, row by row. Returns them as one segment, and the chain after each.
    private func uploaded() throws -> (whole: Segment, chains: [Chain]) {
        // All authors write the same events.
        var (author, again, one) = (Author(1), Author(1), Author(1))
        for count in MergingTests.rows {
            _ = try fixture.run([.merge(author.write(count), group, by: device, from: 9)])
        }
        let whole = try again.write(MergingTests.rows.reduce(0, +))
        var chains = [Chain.empty]
        for _ in 0..<whole.count {
            _ = try one.write(1)
            chains.append(one.chain)
        }
        return (whole, chains)
    }

    private func stop(of upload: Segment) throws -> RefusalCode? {
        let outcomes = try fixture.run([.merge(upload, group, by: device, from: 9)])
        #expect(outcomes.pushes.isEmpty)
        return try #require(outcomes.acks.first).stop
    }

    @Test("each part of a log is recognized, unless it follows another chain")
    func parts() throws {
        let (whole, chains) = try uploaded()
        for first in 1...whole.count {
            for end in first...whole.count {
                func part(after chain: Chain) throws -> Segment {
                    let suffix = try #require(whole.suffix(from: UInt64(first), chainBefore: chain))
                    return try #require(suffix.prefix(through: UInt64(end)))
                }
                let name = "from \(first) to \(end)"
                #expect(try stop(of: part(after: chains[first - 1])) == nil, "\(name)")
                guard first > 1 else { continue }
                #expect(try stop(of: part(after: Chain(high: 7, low: 7))) == .parted, "\(name), otherwise")
            }
        }
    }

    @Test("other bytes under the same seqs are no part of the log")
    func otherBytes() throws {
        let (whole, chains) = try uploaded()
        let each = whole.packed.count / whole.count
        for seq in 2..<whole.count {
            var packed = Array(whole.packed[(seq - 1) * each..<seq * each])
            packed[packed.count - 1] ^= 1
            let other = try Segment(
                replica: whole.replica, firstSeq: UInt64(seq), chainBefore: chains[seq - 1], packed: packed)
            #expect(try stop(of: other) == .parted)
        }
    }

    @Test("a batch reports the numbers of new events and of known ones")
    func counts() throws {
        let writer = fixture.writer
        var author = Author(1)
        let (first, second) = (try author.write(3), try author.write(2))
        func tally(_ uploads: Segment...) throws -> BatchTally? {
            try writer.work(uploads.map { .merge($0, group, by: try device, from: 1) }).last?.tally
        }
        #expect(try tally(first, second) == BatchTally(requests: 2, events: 5, duplicates: 0))
        #expect(try tally(first) == BatchTally(requests: 1, events: 0, duplicates: 3))
    }

    private func counted() throws -> [Int64] {
        try fixture.store.read { try $0.deviceSummaries() }.map(\.events).sorted()
    }

    @Test(
        "what devices have brought is counted within a second, and the batch's tally says whether counts are left"
    )
    func withinASecond() throws {
        var authors = (1...3).map { Author($0) }
        func upload(at second: Int64) throws {
            let requests = try authors.indices.map { index in
                WriterRequest.merge(
                    try authors[index].write(1), group, by: try digest(UInt8(index + 1)),
                    from: ConnectionID(index))
            }
            _ = try fixture.run(requests, after: second)
        }
        for _ in 1...2 { try upload(at: 10) }
        #expect(!fixture.writer.memory.charges.isAllCounted)
        try upload(at: 11)
        #expect(try counted() == [3, 3, 3] && fixture.writer.memory.charges.isAllCounted)
        try upload(at: 11)
        #expect(!fixture.writer.memory.charges.isAllCounted)
        // The server sends this request once a second while something is uncounted, and when it stops.
        _ = try fixture.run([.note([:], greatestServed: ServerFixture.now)], after: 11)
        #expect(try counted() == [4, 4, 4] && fixture.writer.memory.charges.isAllCounted)
    }

    @Test("what very many devices have brought is counted in several parts") func many() throws {
        for first in stride(from: 0, to: 600, by: 3) {
            let requests = try (first..<first + 3).map { number in
                var author = Author(UInt64(number + 1))
                return WriterRequest.merge(
                    try author.write(1), group, by: try digest(number: number), from: ConnectionID(number))
            }
            _ = try fixture.run(requests, after: 5)
        }
        let before = try counted().reduce(0, +)
        #expect(before < 600)
        for second in 6..<10 as Range<Int64> {
            _ = try fixture.run([.note([:], greatestServed: ServerFixture.now)], after: second)
        }
        #expect(try counted() == [Int64](repeating: 1, count: 600))
    }
}
