import FocusCore
import FocusSeal
import FocusSync
import Foundation
import SQLiteKit
import Synchronization
import TestSupport
import Testing

@testable import FocusServerFiles
@testable import FocusServerStore
@testable import FocusWriter

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

/// The clocks of a server whose hands a test moves.
final class HandClock: Sendable {
    private struct Hands {
        var steady = SteadyInstant.zero
        var isOff = false
    }

    private let hands = Mutex(Hands())

    /// The steady clock shows so many seconds, and the machine's has gone on with it, or is off by an hour.
    func set(_ seconds: Int64, isOff: Bool) {
        hands.withLock { $0 = Hands(steady: .zero + .seconds(seconds), isOff: isOff) }
    }

    var steady: SteadyInstant { hands.withLock { $0.steady } }

    var wall: SharedInstant {
        hands.withLock {
            ServerFixture.now + ($0.steady - .zero)
                + .seconds($0.isOff ? 3_600 : 0)
        }
    }
}

/// A store with one group in it, the writer to it, and what a test needs to fill it.
final class ServerFixture {
    static let group = GroupID(high: 1, low: 2)
    static let epoch = EpochID(rawValue: 3)
    /// The member that asks where a test says nothing of who does.
    static let member = Digest(InlineArray(repeating: 0xEE))
    /// The server's clock in these tests, in milliseconds.
    static let now = SharedInstant(milliseconds: 1_763_661_600_000)

    let folder: TemporaryFolder
    let limits: ServerLimits
    private let hands = HandClock()
    private let clock: ServerClock
    private(set) var writer: LogWriter

    /// The writer's store.
    var store: ServerStore { _read { yield writer.store } }
    /// Every group's log as the writer has it in memory.
    var logs: [GroupID: GroupIndex] { writer.groups }
    /// What the writer keeps of what was written lately.
    var rates: UploadRates { writer.rates }

    init(_ limits: ServerLimits = ServerLimits()) throws {
        self.limits = limits
        folder = try TemporaryFolder()
        let store = try ServerStore(at: folder.data.store, access: .readWriteCreate)
        let number = try store.addGroup(ServerFixture.group, now: ServerFixture.now)
        try store.putEpoch(
            EpochRecord(naming: ServerFixture.epoch), group: number)
        clock = ServerClock(
            greatestServed: 0, wall: { [hands] in hands.wall }, steady: { [hands] in hands.steady })
        // From here on it is sure, unless it is off.
        _ = clock.look()
        writer = try LogWriter(store, clock: clock, limits: limits, log: .silent)
    }

    /// Starts the writer anew, as a server does, which finds what a test has put into the store.
    func restart() throws {
        writer = try LogWriter(
            try ServerStore(at: folder.data.store, access: .readWrite), clock: clock, limits: limits,
            log: .silent)
    }

    var name: GroupIndex.Name {
        get throws { try #require(logs[ServerFixture.group]).name }
    }

    /// Has the writer do these requests, in as many batches as it takes, and gives what came of them.
    ///
    /// - Parameters:
    ///   - seconds: when, by the steady clock.
    ///   - admitting: whether who asks for something is put into the group first, where no group has them.
    /// - Throws: `NotStored`, where the writer couldn't store something.
    func run(
        _ requests: [WriterRequest], clockSure: Bool = true, after seconds: Int64 = 0, admitting: Bool = true
    ) throws -> [WriterOutcome] {
        if admitting { try writer.admit(requests) }
        hands.set(seconds, isOff: !clockSure)
        return try writer.batches(requests).flatMap { outcomes in
            for case .batch(let tally) in outcomes where tally.failures > 0 || tally.problem != nil {
                throw NotStored(tally: tally)
            }
            return outcomes.filter { !$0.isTally }
        }
    }

    /// The same, one after the other, each in a batch of its own: in one batch, what belongs to no group is done first,
    /// and then a request of each connection in turn.
    func run(inOrder requests: [WriterRequest]) throws -> [WriterOutcome] {
        try requests.flatMap { try run([$0]) }
    }

    /// A batch that could not be stored as a whole.
    struct NotStored: Error { let tally: BatchTally }

    /// What the store has, read anew, is what the writer has in memory.
    func expectStoreMatchesMemory() throws { #expect(try store.logs() == logs) }
}

/// Makes a replica's events, one segment after the other.
struct Author {
    let replica: ReplicaID
    let group: GroupID
    private var seq: UInt64 = 0
    private var stamp = Stamp(rawValue: UInt64(ServerFixture.now.milliseconds) << 16)
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
    /// Does all of this, in as many batches as it takes, and says what came of each.
    func batches(_ requests: [WriterRequest]) -> [[WriterOutcome]] {
        add(requests)
        var batches: [[WriterOutcome]] = []
        repeat { batches.append(turn()) } while !isIdle
        return batches
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
        case .ended(let refusal, _), .answered(.refused(_, let refusal), _): refusal.code
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
