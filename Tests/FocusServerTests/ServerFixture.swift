import FocusCore
import FocusSeal
import FocusSync
import Foundation
import SQLiteKit
import Testing

@testable import FocusServer

/// A folder that is removed when the test ends.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "focusd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var data: DataFolder { DataFolder(path: url.path) }
}

/// A store with one group in it, and what a test needs to fill it.
final class ServerFixture {
    static let group = GroupID(high: 1, low: 2)
    static let epoch = EpochID(rawValue: 3)
    /// The server's clock in these tests, in milliseconds.
    static let now: Int64 = 1_763_661_600_000

    let folder: TemporaryFolder
    let store: ServerStore
    let limits: ServerLimits
    var logs: [GroupID: GroupLog] = [:]
    var rates: UploadRates

    init(_ limits: ServerLimits = ServerLimits()) throws {
        self.limits = limits
        rates = UploadRates(limits)
        folder = try TemporaryFolder()
        store = try ServerStore(at: folder.data.store, access: .readWriteCreate)
        let number = try store.addGroup(ServerFixture.group, now: ServerFixture.now)
        try store.putEpoch(
            EpochRecord(epoch: ServerFixture.epoch, predecessor: nil, body: []), group: number)
        logs = try store.logs()
    }

    var name: GroupLog.Name {
        get throws { try #require(logs[ServerFixture.group]).name }
    }

    /// Does these requests in one transaction, and gives what came of them.
    ///
    /// - Parameter seconds: when, by the steady clock.
    func run(
        _ requests: [WriterRequest], clockSure: Bool = true, after seconds: Int64 = 0
    ) throws -> [WriterOutcome] {
        let shared = clockSure ? ServerFixture.now * 1000 : nil
        var batch = Batch(
            logs: logs, rates: rates, limits: limits,
            now: ServerTime(steady: seconds * 1_000_000, shared: shared), wall: ServerFixture.now)
        try store.write {
            for request in requests { try batch.apply(request, to: store) }
            try batch.finish(store)
        }
        logs = batch.logs
        rates = batch.rates
        return batch.outcomes + batch.committed
    }

    /// What the store has, read anew, is what the writer has in memory.
    func expectStoreMatchesMemory() throws { #expect(try store.logs() == logs) }
}

/// Makes a replica's events, one segment after the other.
struct Author {
    let replica: ReplicaID
    let group: GroupID
    private var seq: UInt64 = 0
    private var stamp = Stamp(rawValue: UInt64(ServerFixture.now) << 16)
    private(set) var chain = Chain.empty

    init(_ replica: UInt64, group: GroupID = ServerFixture.group) {
        self.replica = ReplicaID(rawValue: replica)
        self.group = group
    }

    /// The next events, of one block each where nothing else is said.
    mutating func write(
        _ count: Int, epoch: EpochID = ServerFixture.epoch, ahead: Int64 = 0, body: UInt8 = 7,
        bodyLength: Int = SealedEvent.bodyMinimum
    ) throws -> Segment {
        var events: [SealedEvent] = []
        let before = chain
        var hasher = try ChainHasher(group: group)
        for _ in 0..<count {
            seq += 1
            stamp = Stamp(rawValue: stamp.rawValue + 1 + UInt64(ahead) << 16)
            let event = SealedEvent(
                id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: epoch,
                body: [UInt8](repeating: body, count: bodyLength))
            chain = try hasher.chain(after: chain, event)
            events.append(event)
        }
        return try #require(Segment(events, chainBefore: before))
    }
}

extension LogWriter {
    /// Does all of this, in as many batches as it takes, and says what came of it; of each batch's tally, the last one.
    func work(_ requests: [WriterRequest]) -> [WriterOutcome] {
        add(requests)
        var outcomes: [WriterOutcome] = []
        repeat { outcomes = outcomes.filter { !$0.isTally } + turn() } while !isIdle
        return outcomes
    }
}

extension WriterOutcome {
    /// An upload's answer: the head's seq and why it stopped.
    var ack: (seq: UInt64, stop: RefusalCode?)? {
        if case .merged(_, let head, let stop, _) = self { (head.seq, stop?.code) } else { nil }
    }

    /// Whether it answers nobody.
    var isTally: Bool {
        if case .batch = self { true } else { false }
    }

    var push: Push? {
        if case .committed(let push, _, _) = self { push } else { nil }
    }

    var device: StoredDevice? {
        if case .device(let device) = self { device } else { nil }
    }

    var enrolled: Enrolled? {
        if case .enrolled(let enrolled, _) = self { enrolled } else { nil }
    }

    /// The code of whatever was refused.
    var refusal: RefusalCode? {
        switch self {
        case .ended(let refusal, _), .refused(_, let refusal, _): refusal.code
        default: nil
        }
    }
}

/// A digest of 32 times the same byte.
func digest(_ byte: UInt8) throws -> Digest {
    try #require(Digest(bytes: [UInt8](repeating: byte, count: Digest.length)))
}

/// A digest for each number.
func digest(number: Int) throws -> Digest {
    let bytes = (0..<Digest.length).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> ($0 * 8) : 0xD1) }
    return try #require(Digest(bytes: bytes))
}
