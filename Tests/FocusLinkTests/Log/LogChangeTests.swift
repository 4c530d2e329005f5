import ClientSupport
import FocusCore
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport
import Testing

@Suite("What a session is told of a log that changes")
struct LogChangeTests {
    private struct RolledBack: Error {}

    private let folder: TemporaryFolder
    private let group = GroupID(high: 1, low: 2)

    init() throws { folder = try TemporaryFolder() }

    /// Opens another connection to a device's store. The device writes as `replica`, and then as the next
    /// numbers.
    private func open(_ name: String, as replica: UInt64) throws -> SealedLog {
        var next = replica
        let store = try DeviceStore(path: folder.file(name)) {
            defer { next += 1 }
            return ReplicaID(rawValue: next)
        }
        if try store.group() == nil {
            // The key of docs/protocol.md, "Test vectors".
            let epoch = EpochID(rawValue: 0x630d_cd29_66c4_3366)
            try store.enter(group, StoredEpoch(id: epoch, key: Array(0..<32), predecessor: nil))
        }
        return try #require(try SealedLog(store))
    }

    private func press(_ log: SealedLog, _ goal: Int64) throws {
        _ = try log.store.author(now: seconds(goal)) { try $0.write(.set(key: "dailyGoal", value: goal)) }
    }

    /// Returns the first event that another device wrote as `replica`.
    private func segment(of replica: UInt64, _ goal: Int64) throws -> Segment {
        let sealer = try Sealer(group: group, keys: [try EpochKey(SecretBytes(Array(0..<32)))])
        let stamp = try #require(Stamp(time: seconds(goal), counter: 0))
        let event = Event(
            replica: ReplicaID(rawValue: replica), seq: 1, stamp: stamp,
            action: .set(key: "dailyGoal", value: goal))
        let epoch = EpochID(rawValue: 0x630d_cd29_66c4_3366)
        return try #require(Segment([try sealer.seal(event, epoch: epoch)], chainBefore: .empty))
    }

    /// Applies a change to `vector`. Returns whether the change had the whole vector.
    private func apply(_ change: LogChange, to vector: inout VersionVector) -> Bool {
        switch change {
        case .all(let new):
            vector = new
            return true
        case .heads(let heads):
            for (replica, head) in heads { vector[replica] = head }
            return false
        }
    }

    @Test("of a press in the same process only its replica is looked at, however many there are")
    func ownPress() throws {
        let log = try open("log", as: 0xA)
        try press(log, 1)
        for replica in UInt64(1_000)..<1_300 { _ = try log.merge(segment(of: replica, 1)) }
        var vector = try log.local().vector
        #expect(vector.heads.count == 301)
        // Only the replica that `local` chained itself.
        #expect(!apply(try log.change(), to: &vector))
        for goal in Int64(2)...5 {
            let before = log.looks
            try press(log, goal)
            #expect(!apply(try log.change(), to: &vector))
            #expect(vector == (try log.vector()))
            #expect(log.looks - before <= 2)
        }
    }

    @Test("of a press in another process all replicas are looked at, once")
    func foreignPress() throws {
        let log = try open("log", as: 0xA)
        try press(log, 1)
        let other = try open("log", as: 0xC)
        var vector = try log.local().vector
        try press(other, 2)
        #expect(apply(try log.change(), to: &vector))
        #expect(vector[ReplicaID(rawValue: 0xA)].seq == 2)
        #expect(!apply(try log.change(), to: &vector))
    }

    @Test(
        "what is told leads to what the log has, whoever changes it, and however", arguments: UInt64(1)...20)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = try open("log", as: 0xA)
        let other = try open("log", as: 0xC000)
        var vector = try log.local().vector
        for goal in Int64(1)...60 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try press(other, goal)
            case 1:
                _ = try other.merge(segment(of: .random(in: 50...60, using: &random), goal))
            case 2:
                try? log.store.atomically {
                    try press(log, goal)
                    throw RolledBack()
                }
            case 3:
                _ = try log.store.takeFreshReplica()
                try press(log, goal)
            case 4:
                guard let own = try log.store.ownReplicas().last else { continue }
                let head = try log.vector()[own]
                if head.seq > 0 { _ = try log.moveBranch(of: own, from: head) }
            case 5: _ = try log.merge(segment(of: .random(in: 50...60, using: &random), goal))
            case 6:
                for replica in UInt64(1)...300 where Int.random(in: 0..<50, using: &random) == 0 {
                    _ = try log.merge(segment(of: 100 + replica, goal))
                }
            default: try press(log, goal)
            }
            guard Bool.random(using: &random) else { continue }
            _ = apply(try log.change(), to: &vector)
            #expect(vector == (try log.vector()), "seed \(seed), step \(goal)")
        }
    }

    @Test("a press in another process is chained in one transaction, and read to be sent in one more")
    func transactions() throws {
        let disk = VirtualDisk()
        let stores = try (0..<2).map { _ in
            try DeviceStore(path: "/log.db", on: .virtual(disk)) { ReplicaID(rawValue: 7) }
        }
        let epoch = EpochID(rawValue: 0x630d_cd29_66c4_3366)
        try stores[0].enter(group, StoredEpoch(id: epoch, key: Array(0..<32), predecessor: nil))
        let log = try #require(try SealedLog(stores[0]))
        _ = try log.local()
        let counter = LockCounter()
        for goal in 1...3 as ClosedRange<Int64> {
            _ = try stores[1].author(now: seconds(goal)) { try $0.write(.set(key: "dailyGoal", value: goal)) }
            counter.count(on: disk)
            guard case .all(let vector) = try log.change() else { throw RolledBack() }
            // One lock to read, one to move the read mark, because another process has written, and one to
            // write.
            #expect(counter.locks <= 3)
            let head = try #require(vector.heads.first)
            counter.count(on: disk)
            let segment = try log.segment(of: head.key, from: UInt64(goal), bytes: 1_000)
            #expect(segment?.lastSeq == UInt64(goal) && counter.locks <= 2)
        }
    }
}
