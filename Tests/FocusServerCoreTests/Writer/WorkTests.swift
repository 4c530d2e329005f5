import FocusCore
import FocusSeal
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests that no client gets more than its share of the writer or the disk by requests other than uploads.
@Suite struct WorkTests {
    private let group = ServerFixture.group

    @Test("an upload that ends below the head is charged for the row that had to be read")
    func lookUps() throws {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (1, 5_000)
        let fixture = try ServerFixture(limits)
        var author = Author(1)
        let row = try author.write(1_000)
        _ = try fixture.run([.merge(row, group, by: digest(1), from: 9)])
        let before = try #require(
            try fixture.store.read { try $0.chains(of: author.replica, at: [997], in: fixture.name) }.first)
        let one = try #require(row.suffix(from: 998, chainBefore: before.chain)?.prefix(through: 998))
        // There are 4,000 tokens left, and each of these uploads costs a little more than 998.
        let stops = try (0..<6).map { _ in
            try fixture.run([.merge(one, group, by: digest(1), from: 9)]).stops
        }
        #expect(stops == [[nil], [nil], [nil], [nil], [.rate], [.rate]])
    }

    @Test("a device that has asked for as much as it may is told when to go on, but may shut another out")
    func metered() throws {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (1, 10)
        let fixture = try ServerFixture(limits)
        let device = try digest(1)
        try fixture.store.write { try $0.putDevice(device, inGroup: fixture.name.number, now: 0) }
        try fixture.store.write { try $0.putDevice(try digest(2), inGroup: fixture.name.number, now: 0) }
        func ask(_ request: GroupRequest) throws -> [RefusalCode] {
            try fixture.run([.ask(request, group, by: device, from: 9)]).answers.compactMap(\.refusal)
        }
        func epoch(_ number: UInt64) -> GroupRequest {
            .epoch(EpochRecord(epoch: EpochID(rawValue: number), predecessor: nil, body: [1]))
        }
        // Each request costs 9 tokens of 1,000, the smallest burst.
        for number in 0..<112 { #expect(try ask(epoch(100 + UInt64(number))) == []) }
        #expect(try ask(epoch(500)) == [.rate])
        #expect(try ask(.roster([RosterEntry(device: try digest(7), isRevoked: false)])) == [.rate])
        let invite = InviteRequest(tokenHash: try digest(3), bundle: [1], lifetime: 60_000)
        #expect(try ask(.createInvite(invite)) == [.rate])
        #expect(try ask(.revoke(digest(2))) == [])
        // Presses have an allowance of their own.
        var author = Author(1)
        let outcomes = try fixture.run([
            .merge(author.write(10), group, by: device, from: 9)
        ])
        #expect(outcomes.stops == [nil])
        #expect(fixture.logs[group]?.epochs.count == 113)
    }

    @Test("each entry of a roster is charged, and an epoch by its bytes", arguments: [true, false])
    func charges(isRoster: Bool) throws {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (1, 1_000)
        let fixture = try ServerFixture(limits)
        let device = try digest(1)
        try fixture.store.write { try $0.putDevice(device, inGroup: fixture.name.number, now: 0) }
        func ask(_ number: Int) throws -> [RefusalCode] {
            let request: GroupRequest =
                isRoster
                ? .roster(
                    try (0..<50).map {
                        RosterEntry(device: try digest(number: 100 * number + $0), isRevoked: true)
                    })
                : .epoch(
                    EpochRecord(
                        epoch: EpochID(rawValue: 100 + UInt64(number)), predecessor: nil,
                        body: [UInt8](repeating: 1, count: 63_000)))
            return try fixture.run([.ask(request, group, by: device, from: 9)]).answers.compactMap(\.refusal)
        }
        // A request of either kind costs 501 tokens.
        #expect(try (0..<3).map(ask) == [[], [], [.rate]])
    }

    @Test(
        "a replica's first row is more work than what follows on, a split upload is hashed twice, and a proposed successor is charged for each existing one that it is told"
    )
    func costs() throws {
        let fixture = try ServerFixture()
        func record(_ number: UInt64) -> EpochRecord {
            EpochRecord(
                epoch: EpochID(rawValue: 100 + number), predecessor: ServerFixture.epoch, body: [1])
        }
        _ = try fixture.run((0..<64).map { .ask(.epoch(record($0)), group, from: 9) })
        var (author, other) = (Author(1), Author(2))
        let successor = WriterRequest.ask(.successor(record(64), discounting: []), group, from: 9)
        let long = try other.write(2_000)
        #expect(long.packed.count > Limits.read)
        let requests = try [author.write(1), author.write(1), long].map {
            WriterRequest.merge($0, group, by: ServerFixture.member, from: 9)
        }
        try fixture.store.write { transaction in
            let memory = WriterMemory(
                fixture.logs, limits: fixture.limits,
                now: ServerTime(steady: 0, shared: SharedReading(ServerFixture.now)),
                wall: ServerFixture.now)
            let batch = BatchTransaction(memory, transaction)
            let works = try (requests + [successor]).map { try batch.apply($0) }
            #expect(
                works == [
                    Work.asked + 1 + 2 * Work.row, Work.asked + 1, Work.asked + 2 * 2_000 + 2 * Work.row,
                    Work.asked + successor.work + 64 / Work.passed + 64,
                ])
            let told = memory.outcomes.commit().answers.compactMap { outcome -> [EpochID]? in
                guard case .answered(_, .epochsExist(let epochs), to: 9) = outcome else { return nil }
                return epochs
            }
            #expect(told == [(100..<164).map { EpochID(rawValue: $0) }])
        }
    }

    @Test("epochs' bodies count, whether they come with the epoch or later, and have a limit of their own")
    func epochs() throws {
        var limits = ServerLimits()
        limits.bytesPerGroup = 2 * StoredSize.record(body: 512 << 10)
        let fixture = try ServerFixture(limits)
        func record(_ number: UInt64, _ body: Int) -> WriterRequest {
            .ask(
                .epoch(
                    EpochRecord(
                        epoch: EpochID(rawValue: 100 + number), predecessor: ServerFixture.epoch,
                        body: [UInt8](repeating: 1, count: body))), group, from: 9)
        }
        _ = try fixture.run((0..<100).map { record($0, 0) })
        _ = try fixture.run((0..<100).map { record($0, 512 << 10) })
        let size = try #require(fixture.logs[group]).size
        #expect(size.bytes == limits.bytesPerGroup && size.epochBytes == 1 << 20)
        try fixture.expectStoreMatchesMemory()

        limits.bytesPerGroup = 1 << 30
        limits.epochBytesPerGroup = 1_000
        let tight = try ServerFixture(limits)
        let outcomes = try tight.run([
            record(1, 900), record(2, 200),
            .ask(
                .successor(
                    EpochRecord(
                        epoch: EpochID(rawValue: 200), predecessor: EpochID(rawValue: 101),
                        body: [UInt8](repeating: 1, count: 200)), discounting: []), group, from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.groupFull, .groupFull])
        #expect(tight.logs[group]?.size.epochBytes == 900)
    }

    @Test("a device that brings all the replicas and epochs it may leaves room for others' first ones")
    func shares() throws {
        var limits = ServerLimits()
        (limits.replicasPerGroup, limits.epochsPerGroup) = (256, 64)
        let fixture = try ServerFixture(limits)
        let (greedy, newcomer) = (try digest(1), try digest(2))
        func upload(_ replica: UInt64, by device: Digest) throws -> RefusalCode? {
            var author = Author(replica)
            let request = WriterRequest.merge(try author.write(1), group, by: device, from: 9)
            return try #require(try fixture.run([request]).acks.first).stop
        }
        let stops = try (1...300).map { try upload(UInt64($0), by: greedy) }
        #expect(stops.filter { $0 == nil }.count == 192 + 32)
        #expect(stops.last == .groupFull)
        #expect(fixture.logs[group]?.heads.count == 192 + 32)
        #expect(try upload(1_001, by: newcomer) == nil)
        let more = try (1_002...1_100).map { try upload(UInt64($0), by: newcomer) }
        #expect(more.filter { $0 == nil }.count == 31)
        // Existing replicas can still grow.
        var author = Author(1)
        _ = try author.write(1)
        let next = WriterRequest.merge(try author.write(1), group, by: greedy, from: 9)
        #expect(try fixture.run([next]).stops == [nil])

        func epoch(_ number: UInt64, by device: Digest) throws {
            let record = EpochRecord(epoch: EpochID(rawValue: number), predecessor: nil, body: [1])
            try fixture.store.write { try $0.putDevice(device, inGroup: fixture.name.number, now: 0) }
            _ = try fixture.run([.ask(.epoch(record), group, by: device, from: 9)])
        }
        for number in 100..<200 { try epoch(UInt64(number), by: greedy) }
        #expect(fixture.logs[group]?.epochs.count == 48 + 8)
        try epoch(500, by: newcomer)
        #expect(fixture.logs[group]?.epochs[EpochID(rawValue: 500)] != nil)
        try fixture.expectStoreMatchesMemory()
    }

    @Test("stamps ahead take a group's log no further than two minutes and a moment, upload by upload")
    func ahead() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        var refused = 0
        for _ in 0..<200 {
            let segment = try author.write(1, ahead: 119_000)
            let stop = try fixture.run([.merge(segment, group, by: digest(1), from: 9)]).acks
            refused += stop.first?.stop == nil ? 0 : 1
        }
        #expect(refused == 199)
        var patient = Author(2)
        _ = try fixture.run([.merge(patient.write(1, ahead: 119_999), group, by: digest(1), from: 9)])
        for _ in 0..<200 {
            _ = try fixture.run([.merge(patient.write(1, ahead: 1), group, by: digest(1), from: 9)])
        }
        let latest = try #require(fixture.logs[group]).latest
        #expect(latest.time - ServerFixture.now <= 120_000 + 200)
    }
}
