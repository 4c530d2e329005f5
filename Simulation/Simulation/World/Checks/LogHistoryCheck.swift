import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit

/// A check that a laptop's log only grows: it compares the heads with the heads at the last check. An event's
/// content must not change under its name, unless the laptop itself has moved events to other names.
struct LogHistoryCheck {
    /// The heads at the last check.
    private var heads: [ReplicaID: Head] = [:]

    /// Forgets the heads. Called when the laptop has moved events to other names, or has lost some.
    mutating func forget() { heads = [:] }

    /// Checks that the log isn't shorter than at the last check, and that the chain at each former head is
    /// unchanged.
    mutating func check(_ laptop: Laptop) throws {
        guard let store = laptop.device?.store else { return }
        let vector = try store.versionVector()
        for (replica, head) in heads {
            guard vector[replica].seq >= head.seq else {
                return laptop.world.require(false, "a log never gets shorter") {
                    "\(laptop.name) had \(head.seq) events of \(replica), now \(vector[replica].seq)"
                }
            }
            let chain = try store.chain(of: replica, at: head.seq)
            laptop.world.require(chain == head.chain, "what a name says never changes on a laptop") {
                "\(laptop.name): \(replica) \(head.seq)"
            }
        }
        heads = vector.heads
    }
}

/// A check that a laptop reports each author of damaged events once.
struct DamageReportCheck {
    /// The replicas with damaged events at the last report.
    private var authors: Set<ReplicaID> = []

    /// Records a report of damaged events.
    ///
    /// - Parameter names: The names of the devices in the report.
    /// - Returns: The name of a device that was reported before, or nil if there is none.
    mutating func recordReport(_ names: [String], _ store: DeviceStore) throws -> String? {
        let damaged = Set(try store.damagedCounts().keys)
        let devices = try store.state().devices
        let known = Set(authors.intersection(damaged).compactMap { devices[$0]?.name })
        authors = damaged
        return names.first(where: known.contains)
    }
}
