import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import TestSupport

// The server's pieces of work for which `make counts` counts instructions and allocations.
extension CountedWork {
    static let serverWork = [mergesOfOne]

    /// The merge of one event in each of 64 groups, in one turn of the writer, as presses arrive.
    private static let mergesOfOne = CountedWork(name: "merge-64x1", times: 50) { surroundings in
        let server = try CountedServer(surroundings)
        try server.merge()
        return { try server.merge() }
    }
}

/// A writer with 64 groups of one laptop each, and the laptops' uploads.
final class CountedServer {
    private let writer: LogWriter
    private var authors: [CountedAuthor]
    static let epoch = EpochID(rawValue: 3)

    init(_ surroundings: Surroundings) throws {
        let path = "\(surroundings.path)/focusd.db"
        let store = try SQLiteServerStore(at: path, access: .readWriteCreate)
        authors = (0..<64).map { CountedAuthor(number: UInt64($0)) }
        let workClock = surroundings.clock
        let clock = ServerClock(
            greatestServed: .zero, wall: { SharedReading(workClock.now) }, steady: { .zero })
        _ = clock.check()
        for author in authors {
            try store.write { transaction in
                let number = try transaction.addGroup(author.group, now: surroundings.clock.now)
                try transaction.putEpoch(EpochRecord(naming: CountedServer.epoch), group: number)
                try transaction.putDevice(author.device, inGroup: number, now: surroundings.clock.now)
            }
        }
        var limits = ServerLimits()
        // The steady clock stands still, so the rate limiters are never refilled. They begin with enough for
        // all uploads.
        (limits.deviceBurst, limits.groupBurst) = (1 << 30, 1 << 30)
        writer = try LogWriter(store, clock: clock, limits: limits, log: .silent)
    }

    /// Uploads one new event of each laptop, and runs the writer until all are stored.
    func merge() throws {
        writer.add(
            try authors.indices.map { index in
                let segment = try authors[index].write()
                return .member(
                    MemberRequest(
                        .merge(segment), by: authors[index].device, in: authors[index].group,
                        from: ConnectionID(index)))
            })
        repeat {
            let tally = writer.commitBatch().tally
            guard tally.isComplete else {
                throw Programs.Failed(description: "the writer failed: \(tally)")
            }
        } while !writer.isIdle
    }
}

/// An author of one laptop's events.
struct CountedAuthor {
    let number: UInt64
    private var seq: UInt64 = 0
    private var chain = Chain.empty
    private let body = [UInt8](repeating: 7, count: Load.bodyLength)

    init(number: UInt64) { self.number = number }

    var group: GroupID { GroupID(high: 1, low: number) }
    var replica: ReplicaID { ReplicaID(rawValue: number + 1) }
    var device: Digest { Digest(InlineArray(repeating: UInt8(truncatingIfNeeded: number))) }

    mutating func write() throws -> Segment {
        var hasher = try ChainHasher(group: group)
        var builder = SegmentBuilder(replica: replica, firstSeq: seq + 1, chainBefore: chain)
        seq += 1
        let stamp = Stamp(rawValue: (1_700_000_000_000 << 16) + seq)
        let event = SealedEvent(
            id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: CountedServer.epoch, body: body)
        chain = try hasher.chain(after: chain, event)
        _ = builder.append(stamp: stamp, epoch: CountedServer.epoch, body: body)
        guard let segment = builder.segment() else { throw Programs.Failed(description: "no segment") }
        return segment
    }
}
