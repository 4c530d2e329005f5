import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import SQLiteKit
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("An agent that syncs while commands press", .ends(within: .seconds(120)))
struct SyncingAtOnceTests {
    @Test(
        "what is merged, chained, uploaded and acknowledged while others press loses nothing and promises nothing"
    )
    func merging() throws {
        for seed in Schedules.seeds(1...50) {
            let group = try SyncedLaptop(seed: seed)
            let laptop = group.laptop
            laptop.interleaver.add { try group.sync(rounds: 12) }
            laptop.interleaver.add(nil, laptop.commands(4))
            laptop.interleaver.add(nil, laptop.page(4))
            laptop.run()
            try laptop.check()
            try group.check()
        }
    }

    @Test(
        "a parted tail is moved to a branch once, even if several programs find it and press meanwhile"
    )
    func branches() throws {
        var moves = 0
        for seed in Schedules.seeds(1...50) {
            let group = try SyncedLaptop(seed: seed, isCloned: true)
            let laptop = group.laptop
            laptop.interleaver.add { try group.sync(rounds: 12) }
            laptop.interleaver.add { try group.sync(rounds: 8) }
            laptop.interleaver.add(nil, laptop.commands(5))
            laptop.run()
            try laptop.check()
            try group.check()
            moves += group.moves
        }
        #expect(moves >= Schedules.share(of: 50))
    }

    @Test(
        "events merged while another program moves the tail before them are there, or their merge stopped"
    )
    func mergingOnMoved() throws {
        var stops = 0
        for seed in Schedules.seeds(1...200) {
            let group = try SyncedLaptop(seed: seed, isCloned: true, isParted: false)
            let laptop = group.laptop
            var merged: SealedLog.Merged?
            laptop.interleaver.add { merged = try group.mergeClone() }
            laptop.interleaver.add { try group.moveAll() }
            laptop.run()
            let stop = try #require(merged).stop
            if stop != nil { stops += 1 }
            #expect(try group.goalsMerged() == (stop == nil ? 3 : 0), "seed \(seed)")
        }
        #expect((Schedules.share(of: 20)...Schedules.share(of: 180)).contains(stops))
    }

    @Test(
        "re-authoring after the clock was ahead keeps all presses, also presses made meanwhile"
    )
    func reauthoring() throws {
        for seed in Schedules.seeds(1...50) {
            let group = try SyncedLaptop(seed: seed, ahead: 86_400_000)
            let laptop = group.laptop
            laptop.interleaver.add {
                try group.reauthor()
                try group.sync(rounds: 10)
            }
            laptop.interleaver.add { try group.reauthor() }
            laptop.interleaver.add(nil, laptop.commands(5))
            laptop.run()
            try laptop.check()
            try group.check()
            let greatest = try laptop.open().store.greatestStamp()
            #expect(greatest.time < laptop.interleaver.clocks.wall() + 60_000, "seed \(seed)")
        }
    }
}

/// A laptop with several programs that sync with one server at the same time, and another laptop of its
/// group.
private final class SyncedLaptop {
    let laptop: BusyLaptop
    /// The server's log, on a disk that nobody else uses.
    private let server: SealedLog
    private let other: Device
    /// The number of branches that were moved.
    private(set) var moves = 0

    private static let group = GroupID(high: 1, low: 2)
    // The key of docs/protocol.md, "Test vectors".
    private static let epoch = StoredEpoch(
        id: EpochID(rawValue: 0x630d_cd29_66c4_3366), key: Array(0..<32), predecessor: nil)

    /// - Parameters:
    ///   - isCloned: Whether the server has presses of a copy of the laptop that the laptop doesn't have.
    ///   - isParted: Whether the laptop itself has pressed since it was copied.
    ///   - ahead: The error of its clock at the beginning.
    init(seed: UInt64, isCloned: Bool = false, isParted: Bool = true, ahead: Duration = 0) throws {
        laptop = BusyLaptop(seed: seed)
        let device = try laptop.open()
        try device.store.enter(SyncedLaptop.group, SyncedLaptop.epoch)
        server = try SyncedLaptop.log(on: VirtualDisk(), seed).log
        other = try SyncedLaptop.log(on: VirtualDisk(), seed ^ 0x77, laptop.interleaver.clocks).device
        try laptop.press(.start(label: laptop.label()), on: device)
        if isCloned {
            try upload(try #require(try SealedLog(device.store)))
            let disk = VirtualDisk()
            disk.replace(with: laptop.disk.image())
            let clone = try SyncedLaptop.log(on: disk, seed ^ 0x99, laptop.interleaver.clocks)
            for goal in 1...3 as ClosedRange<Int64> { _ = try clone.device.perform(.set(.dailyGoal, goal)) }
            _ = try clone.log.vector()
            try upload(clone.log)
            if isParted { try laptop.press(.label(laptop.label()), on: device) }
        }
        guard ahead > 0 else { return }
        let now = laptop.interleaver.clocks.wall() + ahead
        _ = try device.store.author(now: now) { authoring in
            try authoring.write(.set(key: "dailyGoal", value: 7))
            try authoring.write(.set(key: "dailyGoal", value: 8))
        }
    }

    private static func log(
        on disk: VirtualDisk, _ seed: UInt64, _ clocks: MachineClocks? = nil
    ) throws -> (device: Device, log: SealedLog) {
        let dice = Dice(seed: seed)
        let store = try DeviceStore(path: BusyLaptop.home.database, on: .virtual(disk)) {
            ReplicaID(rawValue: dice.next())
        }
        if try store.group() == nil { try store.enter(group, epoch) }
        let clocks = clocks ?? Interleaver(disk, seed: 0).clocks
        let device = Device(BusyLaptop.home, store, .simulated(clocks, name: "other", seed: seed))
        return (device, try #require(try SealedLog(store)))
    }

    private final class Dice {
        private var random: SeededGenerator
        init(seed: UInt64) { random = SeededGenerator(seed: seed) }
        func next() -> UInt64 { random.next() }
    }

    // MARK: - The agent

    /// Opens the log and performs `rounds` random effects of a session.
    func sync(rounds: Int) throws {
        let device = try laptop.open()
        let log = try #require(try SealedLog(device.store))
        for _ in 0..<rounds {
            switch Int.random(in: 0..<10, using: &laptop.dice) {
            case ..<2: _ = try log.local()
            case ..<5: try upload(log)
            case ..<8:
                try pressElsewhere()
                try download(to: log, replaying: .random(using: &laptop.dice))
            case ..<9: _ = try device.store.replay()
            default:
                try device.store.atomically {
                    let heads = try server.vector().heads
                    let seqs = try device.store.replicas().map { row in
                        (row.id, min(row.acknowledged, heads[row.id]?.seq ?? 0))
                    }
                    try device.store.setAcknowledged(Dictionary(uniqueKeysWithValues: seqs))
                }
            }
        }
    }

    /// Merges the events that the server has of the copy.
    func mergeClone() throws -> SealedLog.Merged {
        let log = try #require(try SealedLog(laptop.open().store))
        let (replica, head) = try #require(server.vector().heads.first)
        let segment = try #require(
            try server.segment(of: replica, from: head.seq - 2, bytes: 1 << 16))
        return try log.merge(segment)
    }

    /// Moves all events of the server's replica to a branch, as after the server was found to have lost them.
    func moveAll() throws {
        let log = try #require(try SealedLog(laptop.open().store))
        let replica = try #require(server.vector().heads.keys.first)
        guard let first = try log.chains(of: replica, at: [1]).first else { return }
        _ = try log.moveBranch(of: replica, from: first)
    }

    /// Returns the number of the copy's presses in the laptop's log.
    func goalsMerged() throws -> Int {
        try laptop.open().store.allStoredEvents().compactMap(\.event).count {
            if case .set("dailyGoal", _) = $0.action { true } else { false }
        }
    }

    /// Re-authors the events with stamps in the future.
    func reauthor() throws {
        let store = try laptop.open().store
        let now = laptop.interleaver.clocks.wall()
        let seqs = try server.vector().heads.mapValues(\.seq)
        let limit = try #require(Stamp(time: now + 30_000, counter: 0))
        _ = try store.reauthor(beyond: seqs, limit: limit, error: 86_400_000, now: now)
    }

    private func pressElsewhere() throws {
        _ = try other.perform(.set(.dailyGoal, .random(in: 1...20, using: &laptop.dice)))
        try upload(try #require(try SealedLog(other.store)))
    }

    /// Uploads the events that the server lacks, and records the acknowledgements.
    private func upload(_ log: SealedLog) throws {
        for (replica, head) in try log.vector().heads.sorted(by: { $0.key < $1.key }) {
            let known = try server.vector()[replica]
            if known == head {
                // The server may have stored an earlier upload, although its answer was lost.
                try log.store.acknowledge(replica, through: head.seq)
            }
            guard head.seq > known.seq,
                let segment = try log.segment(of: replica, from: known.seq + 1, bytes: 1 << 16)
            else { continue }
            let merged = try server.merge(segment)
            guard merged.stop == nil else {
                #expect(merged.stop == .parted, "seed \(laptop.seed)")
                continue
            }
            // An acknowledgement says up to which seq the server has the same events.
            try log.store.acknowledge(replica, through: segment.lastSeq)
        }
    }

    /// Downloads the events that the log lacks. Moves events that stand in their place to a branch.
    private func download(to log: SealedLog, replaying: Bool) throws {
        for (replica, head) in try server.vector().heads.sorted(by: { $0.key < $1.key }) {
            let own = try log.vector()[replica]
            guard own != head else { continue }
            let from = try (1...head.seq).first { seq in
                try log.chains(of: replica, at: [seq]) != server.chains(of: replica, at: [seq])
            }
            guard let from else { continue }
            if from <= own.seq, let first = try log.chains(of: replica, at: [from]).first {
                guard try server.chains(of: replica, at: [from]).first != first else { continue }
                if case .moved = try log.moveBranch(of: replica, from: first) { moves += 1 }
            }
            let segment = try #require(try server.segment(of: replica, from: from, bytes: 1 << 16))
            let stop = try log.merge(segment, replaying: replaying).stop
            #expect(stop == nil || stop == .parted || stop == .gap, "seed \(laptop.seed)")
        }
    }

    // MARK: - Checks

    /// Checks that the server has everything that the laptop counts as acknowledged, that each press is there
    /// once, and that laptop and server agree after a last exchange.
    func check() throws {
        let seed = laptop.seed
        let store = try laptop.open().store
        let log = try #require(try SealedLog(store))
        for row in try store.replicas() where row.acknowledged > 0 {
            let here = try log.chains(of: row.id, at: [row.acknowledged])
            #expect(try server.chains(of: row.id, at: [row.acknowledged]) == here, "seed \(seed)")
        }
        let labels = laptop.taken.flatMap { SyncedLaptop.labels(in: $0.action) }
        let found = try store.allStoredEvents().compactMap(\.event)
            .flatMap { SyncedLaptop.labels(in: $0.action) }
        for label in labels {
            #expect(found.count { $0 == label } == 1, "seed \(seed): \(label)")
        }
        for _ in 0..<3 {
            try download(to: log, replaying: false)
            try upload(log)
        }
        #expect(try log.vector() == server.vector(), "seed \(seed)")
        #expect(try store.pendingCount() == 0, "seed \(seed)")
        #expect(try store.state() == server.store.state(), "seed \(seed)")
    }

    private static func labels(in action: Action) -> [String] {
        switch action {
        case .start(let start): start.label.map { [$0] } ?? []
        case .label(_, let text, _): [text]
        default: []
        }
    }
}
