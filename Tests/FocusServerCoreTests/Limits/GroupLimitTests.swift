import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of the limits on groups, with the writer and a store.
@Suite struct GroupLimitTests {
    private let group = ServerFixture.group
    private var device: Digest { get throws { try digest(1) } }

    private func fixture(_ change: (inout ServerLimits) -> Void) throws -> ServerFixture {
        var limits = ServerLimits()
        change(&limits)
        return try ServerFixture(limits)
    }

    @Test("a group has so many events: what goes in is taken, and the rest tried again later")
    func events() throws {
        let fixture = try fixture { $0.eventsPerGroup = 5 }
        var (one, other) = (Author(1), Author(2))
        let segment = try one.write(4)
        let outcomes = try fixture.run([
            .merge(segment, group, by: device, from: 9), .merge(other.write(3), group, by: device, from: 8),
            .merge(segment, group, by: device, from: 9), .merge(one.write(1), group, by: device, from: 9),
        ])
        #expect(outcomes.seqs == [4, 1, 4, 4])
        #expect(outcomes.stops == [nil, .groupFull, nil, .groupFull])
        try fixture.expectStoreMatchesMemory()
        #expect(fixture.logs[group]?.size.events == 5)
    }

    @Test("a group takes so many bytes, and no upload that begins beyond them") func bytes() throws {
        let fixture = try fixture { $0.bytesPerGroup = 4_500 }
        var author = Author(1)
        let outcomes = try fixture.run([
            .merge(author.write(2, bodyLength: 1_040), group, by: device, from: 9),
            .merge(author.write(2, bodyLength: 1_040), group, by: device, from: 9),
            .merge(author.write(1), group, by: device, from: 9),
        ])
        #expect(outcomes.seqs == [2, 4, 4])
        #expect(outcomes.stops == [nil, nil, .groupFull])
        try fixture.expectStoreMatchesMemory()
        #expect(fixture.logs[group]?.size.bytes == StoredSize.row(packed: 4 * 1_058))
    }

    @Test("beyond so many epochs no record is kept, and events of theirs are refused as too much")
    func epochs() throws {
        let fixture = try fixture { $0.epochsPerGroup = 2 }
        let (second, third) = (EpochID(rawValue: 4), EpochID(rawValue: 5))
        var author = Author(1)
        let outcomes = try fixture.run([
            .ask(
                .epoch(EpochRecord(epoch: second, predecessor: ServerFixture.epoch, body: [1, 2])), group,
                from: 9),
            .ask(.epoch(EpochRecord(epoch: third, predecessor: second, body: [2])), group, from: 9),
            .merge(author.write(1, epoch: second), group, by: device, from: 9),
            .merge(author.write(1, epoch: third), group, by: device, from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.groupFull])
        #expect(outcomes.stops == [nil, .groupFull])
        try fixture.expectStoreMatchesMemory()
        #expect(fixture.logs[group]?.epochs.count == 2)
    }

    @Test("the server takes so many groups; one that is there goes on, and may be joined")
    func groups() throws {
        let fixture = try fixture { $0.groups = 2 }
        func bring(_ number: UInt64) throws -> WriterRequest {
            let token = try fixture.invite(bundle: nil)
            let kind = Enrol.Kind.bring(GroupID(high: number, low: 7), EpochID(rawValue: 8))
            return .enrol(Enrol(token: token, kind: kind), device: try digest(UInt8(number)), from: 9)
        }
        let outcomes = try fixture.run([bring(11), bring(12)])
        #expect(outcomes.answers.compactMap(\.refusal) == [.quota])
        #expect(outcomes.answers.compactMap(\.enrolled).count == 1)
        let joining = Enrol(token: try fixture.invite(bundle: [1]), kind: .join)
        let joined = try fixture.run([.enrol(joining, device: digest(50), from: 9)])
        #expect(joined.answers.compactMap(\.enrolled).count == 1)
    }

    @Test("a group has so many devices, and lists as many keys besides; the revoked don't count")
    func devices() throws {
        let fixture = try fixture { $0.devicesPerGroup = 2 }
        let listed = try fixture.run([
            .ask(
                .roster(try (1...4).map { RosterEntry(device: try digest($0), isRevoked: $0 == 1) }), group,
                by: digest(50), from: 9)
        ])
        #expect(try listed.answers.compactMap(\.device).map(\.key) == [digest(1), digest(2), digest(3)])
        #expect(listed.answers.compactMap(\.refusal) == [.quota])

        func join(_ byte: UInt8) throws -> WriterRequest {
            let joining = Enrol(token: try fixture.invite(bundle: [1]), kind: .join)
            return .enrol(joining, device: try digest(byte), from: 9)
        }
        let joined = try fixture.run([join(51), join(52), .prove(digest(2), group, from: 9)])
        #expect(joined.answers.compactMap(\.enrolled).count == 1)
        #expect(joined.answers.compactMap(\.refusal) == [.quota, .quota])
        _ = try fixture.run([.ask(.revoke(digest(50)), group, by: digest(51), from: 9)])
        let outcomes = try fixture.run([join(53), join(54)])
        #expect(outcomes.answers.compactMap(\.enrolled).count == 1)
        #expect(outcomes.answers.compactMap(\.refusal) == [.quota])
        #expect(
            try fixture.store.read { try $0.rosterSize(of: fixture.name.number) }
                == RosterSize(proved: 3, provedRevoked: 1, listed: 3, listedRevoked: 1))
    }

    private let quota = 200_000

    private func fileSize(_ fixture: ServerFixture) throws -> Int {
        let pages: Int = try fixture.store.database.first("PRAGMA page_count") { $0[0] } ?? 0
        let size: Int = try fixture.store.database.first("PRAGMA page_size") { $0[0] } ?? 0
        return pages * size
    }

    @Test(
        "a group's uploads of one event each take about its quota of the disk, and at most a tenth more",
        arguments: [80, 464, 912, 1_936, 3_984, 4_048])
    func single(bodyLength: Int) throws {
        let fixture = try fixture { $0.bytesPerGroup = quota }
        let empty = try fileSize(fixture)
        var authors = (1...16).map { Author($0 &* 0x9E37_79B9_7F4A_7C15) }
        var count = 0
        var isFull = false
        while !isFull, count < 10_000 {
            let segment = try authors[count % 16].write(1, bodyLength: bodyLength)
            let outcomes = try fixture.run(
                [.merge(segment, group, by: digest(1), from: 9)], after: Int64(count))
            isFull = outcomes.acks.first?.stop == .groupFull
            count += 1
        }
        try fixture.expectStoreMatchesMemory()
        let size = try fileSize(fixture) - empty
        // The last row may begin below the quota and end above it.
        #expect(isFull && size <= quota + quota / 10 + bodyLength && size >= quota / 5 * 2)
    }

    @Test(
        "epochs' records take no more of the disk than the quota and a tenth",
        arguments: [100, 256, 300, 5_000])
    func epochRecords(length: Int) throws {
        let fixture = try fixture { $0.bytesPerGroup = quota }
        let empty = try fileSize(fixture)
        let body = [UInt8](repeating: 1, count: length)
        let records = (1...1_000).map { number in
            EpochRecord(
                epoch: EpochID(rawValue: UInt64(number) &* 0x9E37_79B9_7F4A_7C15),
                predecessor: ServerFixture.epoch, body: body)
        }
        _ = try fixture.run(records.map { .ask(.epoch($0), group, from: 9) })
        try fixture.expectStoreMatchesMemory()
        let kept = try #require(fixture.logs[group]).bodies.count
        #expect(kept < 1_000 || length == 100)
        #expect(try fileSize(fixture) - empty <= quota + quota / 10 + length)
    }

    /// The error of a test in which the number must not be asked for.
    private struct Asked: Error {}

    @Test("of the last quarter of a shared limit each device may use only its share")
    func shares() throws {
        let limit = SharedLimit(limit: 100, share: 3)
        let isFree = try limit.hasRoom(beside: 74) { throw Asked() }
        #expect(isFree)
        #expect(!limit.isScarce(beside: 74) && limit.isScarce(beside: 75))
        for (count, brought, hasRoom) in [
            (75, 2, true), (75, 3, false), (99, 2, true), (100, 0, false), (101, 0, false),
        ] {
            #expect(limit.hasRoom(beside: count) { brought } == hasRoom, "\(count) \(brought)")
        }
        // A limit below 4 has no last quarter.
        let small = SharedLimit(limit: 2, share: 8)
        let hasSmallRoom = try small.hasRoom(beside: 1) { throw Asked() }
        let isSmallFull = !small.hasRoom(beside: 2) { 0 }
        #expect(hasSmallRoom && isSmallFull)
    }
}
