import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import TestSupport

// What a server does.
extension CountedWork {
    static let serverWork = [mergeOfMany, mergesOfOne, knownMerge, firstSync, frame, pressesTold]

    /// Batches of 100 events of 64 groups, in one turn of the writer's: 6,400 events.
    private static let mergeOfMany = CountedWork(name: "merge-64x100", times: 3) { ground in
        let server = try CountedServer(ground)
        return { try server.merge(100) }
    }

    /// One event of each of 64 groups, in one turn of the writer's, as presses come.
    private static let mergesOfOne = CountedWork(name: "merge-64x1", times: 50) { ground in
        let server = try CountedServer(ground)
        try server.merge(1)
        return { try server.merge(1) }
    }

    /// The same batches of 100 events once more.
    private static let knownMerge = CountedWork(name: "known-64x100", times: 1) { ground in
        let server = try CountedServer(ground)
        // What a commit takes of one replica is in one row of the store.
        let batches = try (0..<4).map { _ in try server.uploads(100) }
        try server.handle((0..<64).flatMap { number in batches.map { $0[number] } })
        return { for batch in batches { try server.handle(batch) } }
    }

    /// What the server reads for a laptop that has nothing yet, of a log of 10,000 events in 1,000 rows.
    private static let firstSync = CountedWork(name: "first-sync-10000", times: 1) { ground in
        let server = try CountedServer(ground, groups: 1)
        for _ in 0..<1_000 { try server.merge(10) }
        return { try server.readAll() }
    }

    /// An upload's way through a session: from the bytes of a frame to what the writer is asked, and from what came of
    /// it to the bytes of the answer.
    private static let frame = CountedWork(name: "frame", times: 1_000) { _ in
        let session = CountedSession()
        return { try session.pass() }
    }
}

/// A writer with some groups of one laptop each, and what these upload.
final class CountedServer {
    private let writer: LogWriter
    private let reader: LogReader
    private var authors: [CountedAuthor]
    static let epoch = EpochID(rawValue: 3)

    init(_ ground: CountedGround, groups: Int = 64) throws {
        let path = "\(ground.path)/focusd.db"
        let store = try SQLiteServerStore(at: path, access: .readWriteCreate)
        authors = (0..<groups).map { CountedAuthor(number: UInt64($0)) }
        let hands = ground.clock
        let clock = ServerClock(
            greatestServed: .zero, wall: { SharedReading(hands.now) }, steady: { .zero })
        _ = clock.check()
        for author in authors {
            try store.write { transaction in
                let number = try transaction.addGroup(author.group, now: ground.clock.now)
                try transaction.putEpoch(EpochRecord(naming: CountedServer.epoch), group: number)
                try transaction.putDevice(author.device, inGroup: number, now: ground.clock.now)
            }
        }
        var limits = ServerLimits()
        (limits.deviceBurst, limits.groupBurst) = (1 << 30, 1 << 30)
        writer = try LogWriter(store, clock: clock, limits: limits, log: .silent)
        reader = LogReader(try SQLiteServerStore(at: path, access: .readOnly), log: .silent)
    }

    /// So many new events of each laptop, each laptop's in one upload.
    func uploads(_ count: Int) throws -> [WriterRequest] {
        try authors.indices.map { index in
            let segment = try authors[index].write(count)
            return .member(
                MemberRequest(
                    .merge(segment), by: authors[index].device, in: authors[index].group,
                    from: ConnectionID(index)))
        }
    }

    func merge(_ count: Int) throws { try handle(try uploads(count)) }

    /// Hands all of this in at once, and has it done.
    func handle(_ requests: [WriterRequest]) throws {
        writer.add(requests)
        repeat {
            for case .batch(let tally) in writer.turn() where tally.problem != nil || tally.failures > 0 {
                throw Programs.Failed(description: "the writer failed: \(tally)")
            }
        } while !writer.isIdle
    }

    /// Reads the first group's log from the start, as it is read for a laptop that has nothing.
    func readAll() throws {
        guard let author = authors.first, let name = writer.groups[author.group]?.name else { return }
        var seq: UInt64 = 1
        while true {
            reader.handle(.events(author.replica, from: seq, bytes: Limits.read, name, to: 0))
            guard case .events(_, let segment, head: let head, to: _) = reader.work(), let segment else {
                throw Programs.Failed(description: "there is nothing to read")
            }
            reader.handle(.taken(1))
            if segment.lastSeq == head { return }
            seq = segment.lastSeq + 1
        }
    }
}

/// Writes one laptop's events.
struct CountedAuthor {
    let number: UInt64
    private var seq: UInt64 = 0
    private var chain = Chain.empty
    private let body = [UInt8](repeating: 7, count: Load.bodyLength)

    init(number: UInt64) { self.number = number }

    var group: GroupID { GroupID(high: 1, low: number) }
    var replica: ReplicaID { ReplicaID(rawValue: number + 1) }
    var device: Digest { Digest(InlineArray(repeating: UInt8(truncatingIfNeeded: number))) }

    mutating func write(_ count: Int) throws -> Segment {
        var hasher = try ChainHasher(group: group)
        var builder = SegmentBuilder(replica: replica, firstSeq: seq + 1, chainBefore: chain)
        for _ in 0..<count {
            seq += 1
            let stamp = Stamp(rawValue: (1_700_000_000_000 << 16) + seq)
            let event = SealedEvent(
                id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: CountedServer.epoch, body: body)
            chain = try hasher.chain(after: chain, event)
            _ = builder.append(stamp: stamp, epoch: CountedServer.epoch, body: body)
        }
        guard let segment = builder.segment() else { throw Programs.Failed(description: "no segment") }
        return segment
    }
}

/// A member's session at the server, of which each frame is an upload of one event.
final class CountedSession {
    private var session: ServerSession
    private var author = CountedAuthor(number: 0)
    private let time = ServerTime(
        steady: .zero, shared: SharedReading(SharedInstant(milliseconds: 1_763_661_600_000)))

    init() {
        session = ServerSession(
            device: author.device, standing: .member(author.group), program: "counts", now: time)
        let hello = Hello(versions: ProtocolVersion.spoken, purpose: .sync, sent: .zero, program: "counts")
        _ = session.received(Message.hello(hello).encoded()[...], at: time)
        _ = session.entered(
            Welcome(
                group: author.group, vector: VersionVector(), latest: .zero, roster: [], epochs: [],
                presence: [],
                nextServerKey: nil))
        _ = session.received(Message.have(Have()).encoded()[...], at: time)
    }

    func pass() throws {
        let segment = try author.write(1)
        let effects = session.received(Message.upload(segment).encoded()[...], at: time)
        guard effects.contains(where: { if case .merge = $0 { true } else { false } }) else {
            throw Programs.Failed(description: "the frame came to nothing: \(effects)")
        }
        _ = session.merged(segment.replica, head: Head(seq: segment.lastSeq, chain: .empty), stop: nil)
        _ = session.tick(time)
    }
}
