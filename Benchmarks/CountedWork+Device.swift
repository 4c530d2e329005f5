import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SystemKit

// The work of laptops for which `make counts` counts instructions and allocations.
extension CountedWork {
    static let deviceWork = [press, push, replay]

    /// A press, including its writes to the disk.
    private static let press = CountedWork(name: "press", times: 100) { surroundings in
        let device = try makeDevice(surroundings)
        return {
            surroundings.clock.advance(by: 60_000)
            _ = try device.perform(.toggle)
        }
    }

    private static let replay = CountedWork(name: "replay-10000", times: 1) { _ in
        let log = ReplayBenchmark.makeLog(count: 10_000)
        return { _ = log.replayed() }
    }

    /// The merge of one event from another laptop: opened, merged and stored.
    private static let push = CountedWork(name: "push", times: 100) { surroundings in
        let sender = try makeDevice(surroundings, "sender")
        let (sent, received) = try makeGroup(sender, makeDevice(surroundings, "receiver"))
        var seq: UInt64 = 1
        return {
            surroundings.clock.advance(by: 60_000)
            let events = try sender.perform(.toggle).events
            // `vector` computes the new event's chain. `segment` returns only events with a chain.
            _ = try sent.vector()
            guard let replica = events.first?.id.replica,
                let segment = try sent.segment(of: replica, from: seq, bytes: 1 << 17)
            else { throw Programs.Failed(description: "nothing was pressed") }
            seq = segment.lastSeq + 1
            _ = try received.merge(segment)
        }
    }

    /// Brings two laptops into one group, and returns the log of each as a session sees it.
    private static func makeGroup(_ one: Device, _ other: Device) throws -> (SealedLog, SealedLog) {
        let group = GroupID(high: 1, low: 2)
        let key = try EpochKey(SecretBytes(Array(0..<32)))
        for device in [one, other] {
            try device.store.enter(group, StoredEpoch(id: key.epoch, key: Array(0..<32), predecessor: nil))
        }
        guard let ours = try SealedLog(one.store), let theirs = try SealedLog(other.store) else {
            throw Programs.Failed(description: "no group")
        }
        return (ours, theirs)
    }

    private static func makeDevice(_ surroundings: Surroundings, _ name: String = "laptop") throws -> Device {
        let clock = surroundings.clock
        let clocks = MachineClocks(
            wall: { clock.now }, sinceBoot: { SteadyInstant.zero + .milliseconds(clock.now.milliseconds) },
            awake: { SteadyInstant.zero + .milliseconds(clock.now.milliseconds) }, boot: { "boot" })
        let replica: UInt64 = name == "receiver" ? 2 : 1
        let process = Platform.process
        let machine = Machine(
            environment: Environment(["FOCUS_HOME": "\(surroundings.path)/\(name)"]),
            platform: Platform(
                clocks: clocks, hostName: { name }, zone: process.zone, random: process.random,
                hasKey: process.hasKey, archiveKey: process.archiveKey),
            makeReplica: { ReplicaID(rawValue: replica) })
        return try Device(machine)
    }
}
