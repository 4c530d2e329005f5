import ClientSupport
import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink
@testable import FocusStore

/// The data that a server makes up on several connections, and the part of it that a laptop keeps.
@Suite("A server that makes things up")
struct FloodTests {
    private let group = TestGroup.id
    private let context: TestContext
    private let device: Device
    private let observer = NoticeListener()
    private let home = TemporaryHome()
    private let key: EpochKey

    init() throws {
        context = TestContext(home: home.path, now: 1_763_661_600_000)
        device = try Device(context.machine)
        key = try TestGroup.key()
        try TestGroup.enter(device.store)
    }

    private var store: DeviceStore { device.store }

    /// Connects to a server that sends a welcome and `messages`. Returns the messages that the laptop sent.
    @discardableResult
    private func hear(
        _ messages: some Sequence<Message>, welcome change: (inout Welcome) -> Void = { _ in }
    ) throws -> [Message] {
        let server = SilentServer()
        let driver = try SyncDriver.connecting(to: server, store, VirtualTime(context), observer)
        driver.reach(server)
        driver.received(SyncDriver.welcome(to: group, change), on: server)
        var bytes: [UInt8] = []
        for message in messages {
            bytes += message.encoded()
            guard bytes.count >= 4 << 20 else { continue }
            driver.received(bytes, on: server)
            bytes = []
        }
        driver.received(bytes, on: server)
        driver.leave()
        driver.closed(server, .closed)
        return try server.messages
    }

    private func digests(_ count: Int, _ random: inout SeededGenerator) -> [Digest] {
        (0..<count).map { _ in Digest(InlineArray { _ in UInt8.random(in: 0 ... .max, using: &random) }) }
    }

    private func record(_ random: inout SeededGenerator, after predecessor: EpochID? = nil, body: Int)
        -> Message
    {
        .epoch(
            EpochRecord(
                epoch: EpochID(rawValue: random.next()),
                predecessor: predecessor ?? EpochID(rawValue: random.next()),
                body: Array(repeating: 1, count: body)))
    }

    /// Returns a push of events by a replica that no device of the group has.
    private func madeUp(_ replica: UInt64, of epoch: EpochID, count: Int = 1, body: Int = 80) throws
        -> Message
    {
        var builder = SegmentBuilder(
            replica: ReplicaID(rawValue: replica), firstSeq: 1, chainBefore: .empty)
        for number in 1...count {
            let isTaken = builder.append(
                stamp: try #require(Stamp(time: 1_763_661_600_000, counter: UInt16(number))), epoch: epoch,
                body: Array(repeating: UInt8(truncatingIfNeeded: replica), count: body))
            try #require(isTaken)
        }
        return .push(try #require(builder.segment()))
    }

    /// Returns a push of an event that another laptop of the group wrote.
    private func written(
        _ replica: UInt64, _ action: Action, at time: SharedInstant = 1_763_661_600_000
    ) throws -> Message {
        let stamp = try #require(Stamp(time: time, counter: 1))
        let event = Event(replica: ReplicaID(rawValue: replica), seq: 1, stamp: stamp, action: action)
        let sealed = try Sealer(group: group, keys: [key]).seal(event, epoch: key.epoch)
        var builder = SegmentBuilder(replica: event.id.replica, firstSeq: 1, chainBefore: .empty)
        _ = builder.append(stamp: stamp, epoch: key.epoch, body: sealed.body)
        return .push(try #require(builder.segment()))
    }

    private func ends(_ excess: GroupSizeError) -> Bool { observer.end == .excess(excess, by: "the server") }

    // MARK: - Records

    @Test(
        "keeps no more records of epochs on a laptop than a group has, which go once a server names others",
        arguments: [(3_000, 1), (130, Limits.epochBody)])
    func records(count: Int, body: Int) throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3 {
            // Every second record claims to follow the group's own epoch, and is disproved.
            let told = try hear(
                (0..<count).map { record(&random, after: $0 % 2 == 0 ? key.epoch : nil, body: body) })
            #expect(!told.contains { $0.type == .keepEpoch })
            let sizes = try store.epochRecordSizes()
            #expect(sizes.count <= Limits.epochs)
            #expect(sizes.values.reduce(0, +) <= Limits.epochBytes)
        }
        #expect(ends(.epochs) == (body > 1))
        #expect(try hear([]).allSatisfy { $0.type != .keepEpoch })
        #expect(try store.epochRecordSizes().isEmpty)
    }

    @Test("is hung up on once it has sent more records than a group has, on one connection or several")
    func endByRecords() throws {
        var random = SeededGenerator(seed: 2)
        let first = (0..<3_000).map { _ in record(&random, body: 1) }
        try hear(first)
        #expect(!ends(.epochs))
        // The welcome names the epochs that the server made up, so their records stay.
        let named = first.compactMap { message in
            if case .epoch(let record) = message { record.epoch } else { nil }
        }
        try hear((0..<1_097).map { _ in record(&random, body: 1) }) { $0.epochs = named.sorted() }
        #expect(ends(.epochs))
        #expect(try store.epochRecordSizes().count == Limits.epochs)
    }

    @Test("keeps nobody from the group's own record by one that it made up in its place")
    func inPlaceOfARecord() throws {
        var random = SeededGenerator(seed: 3)
        let (next, real) = try TestGroup.nextEpoch(for: TestGroup.device())
        try hear([
            .epoch(
                EpochRecord(
                    epoch: next.epoch, predecessor: EpochID(rawValue: random.next()), body: real.body))
        ])
        #expect(try store.epochs().count == 1)
        try hear([.epoch(real)]) { $0.epochs = [next.epoch] }
        #expect(try store.epochs().last?.id == next.epoch)
        let isGiven = try hear([]).contains {
            if case .request(_, .epoch(real)) = $0 { true } else { false }
        }
        #expect(isGiven, "a server that lacks it is given it")
    }

    // MARK: - Devices

    @Test(
        "keeps no more keys on a laptop that nobody has named than there is room for, and no laptop's revocation out"
    )
    func revocations() throws {
        var random = SeededGenerator(seed: 4)
        let named = digests(1, &random)[0]
        try hear([written(0x77, .device(name: "desk", key: named.hexadecimal))])
        for _ in 0..<2 {
            try hear(digests(Limits.devices + 1, &random).map { .revoked($0) })
            #expect(ends(.devices))
            #expect(try store.devices().count <= Limits.unnamedDevices)
        }
        try hear([]) { welcome in
            welcome.roster = digests(Limits.devices, &random).map { RosterEntry(device: $0, isRevoked: true) }
        }
        #expect(try store.devices().count == Limits.unnamedDevices)
        try hear([.revoked(named)])
        #expect(try store.devices().contains { $0.key == named && $0.isRevoked })

        // The devices of an honest server are kept, and replace the made-up ones.
        let listed = digests(1_500, &random).map { RosterEntry(device: $0, isRevoked: false) }
        let later = digests(1, &random)[0]
        try hear([]) { $0.roster = listed }
        try hear([.revoked(later)]) { $0.roster = listed }
        let kept = try Set(store.devices().map(\.key))
        #expect(kept.isSuperset(of: listed.map(\.device)))
        #expect(kept.contains(named))
        #expect(kept.count <= Limits.unnamedDevices + 1)
    }

    // MARK: - Events

    @Test(
        "keeps no more replicas on a laptop of which nothing can be read than there is room for, until it is honest"
    )
    func replicas() throws {
        var random = SeededGenerator(seed: 5)
        func count() throws -> Int { try store.replicas().count { $0.seq > 0 && !$0.isOwn } }
        for _ in 0..<2 {
            try hear(
                try (0..<Limits.unreadableReplicas + 100).map { number in
                    try madeUp(
                        random.next() | 1, of: number % 2 == 0 ? key.epoch : EpochID(rawValue: random.next()))
                } + [written(0x77, .device(name: "desk", key: nil))])
        }
        #expect(try count() == Limits.unreadableReplicas + 1)
        #expect(
            observer.notices.count { $0 == .unreadableExcess(by: "the server") } == 2, "once a connection")
        // An event that can be read is merged all the same.
        #expect(try store.state().devices[ReplicaID(rawValue: 0x77)]?.name == "desk")

        // The next welcome names only the replicas that the group has.
        let mark = try #require(try SealedLog(store)).vector()[ReplicaID(rawValue: 0x77)]
        let told = try hear([]) { $0.vector[ReplicaID(rawValue: 0x77)] = mark }
        #expect(try count() == 1)
        #expect(!told.contains { $0.type == .upload || $0.type == .keepEpoch })
        #expect(try store.integrityProblems() == [])
        #expect(try store.state().devices[ReplicaID(rawValue: 0x77)]?.name == "desk")
    }

    @Test("keeps no more bytes on a laptop that can't be read than there is room for, however few replicas")
    func bytes() throws {
        let epoch = EpochID(rawValue: 9)
        try hear(try (1...70).map { try madeUp(1_000 + $0, of: epoch, count: 250, body: 4_048) })
        let kept = try store.unreadableEvents()
        #expect(kept.bytes <= Limits.unreadableBytes)
        #expect(kept.bytes > Limits.unreadableBytes - (2 << 20))
        try hear([])
        #expect(try store.unreadableEvents().bytes == 0)
        let pages: Int? = try store.database.first("PRAGMA page_count") { $0[0] }
        #expect(try #require(pages) < 1_000, "the disk has it back")
    }

    @Test("what lies ahead can be read: it takes none of the room for what can't be, and stays")
    func early() throws {
        try hear(
            try (1...100).map { try madeUp(1_000 + $0, of: EpochID(rawValue: $0)) }
                + [written(0x77, .device(name: "desk", key: nil), at: 1_763_661_900_000)])
        #expect(try store.earlyEvents()?.count == 1)
        #expect(try store.unreadableEvents().replicas == 100)
        try hear([])
        #expect(try store.replicas().filter { $0.seq > 0 && !$0.isOwn }.map(\.id.rawValue) == [0x77])
    }

    @Test("what waits for the key of an epoch that the group made stays, whatever else goes")
    func waiting() throws {
        let (next, record) = try TestGroup.nextEpoch(for: TestGroup.device(2))
        try hear(
            [.epoch(record)]
                + (try (1...100).map { try madeUp(1_000 + $0, of: EpochID(rawValue: $0)) })
                + [try madeUp(7, of: next.epoch)])
        try hear([])
        #expect(try store.replicas().filter { $0.seq > 0 && !$0.isOwn }.map(\.id.rawValue) == [7])
        #expect(try Array(store.epochRecordSizes().keys) == [next.epoch])
    }

    @Test("has a tenth of a laptop's time at most, however much there is to make of what it sends")
    func pacing() {
        var pacing = KeyWorkLimiter()
        pacing.received()
        #expect(pacing.isAdoptionDue(at: 100))
        pacing.adopted(at: 100, taking: .milliseconds(4))
        pacing.received()
        #expect(pacing.isAdoptionDue(at: 100))
        pacing.adopted(at: .after(.milliseconds(20)), taking: .milliseconds(20))
        pacing.received()
        let rest = SteadyInstant.after(.milliseconds(220))
        #expect(!pacing.isAdoptionDue(at: rest - .microseconds(1)))
        #expect(pacing.deadline(isOpen: false, at: rest - .microseconds(1)) == rest)
        #expect(pacing.isAdoptionDue(at: rest))
        #expect(pacing.deadline(isOpen: true, at: rest) == nil)
    }
}
