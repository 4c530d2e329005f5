import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit

/// The heads of a laptop's log at the last look. The events under a name must not change, unless the laptop
/// itself has moved events to other names.
struct LogHistoryCheck {
    private var heads: [ReplicaID: Head] = [:]

    /// Forgets the heads. Called when the laptop has moved events to other names, or has lost some.
    mutating func forget() { heads = [:] }

    /// Checks that the log has got no shorter, and that each former head's chain is unchanged.
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

/// Checks that a laptop reports each author of damaged events once.
struct DamageReportCheck {
    private var authors: Set<ReplicaID> = []

    /// Records that the laptop has reported damaged events of the authors with these names.
    ///
    /// - Returns: The name of an author that was reported before, or nil if there is none.
    mutating func recordReport(_ names: [String], _ store: DeviceStore) throws -> String? {
        let damaged = Set(try store.damagedCounts().keys)
        let devices = try store.state().devices
        let known = Set(authors.intersection(damaged).compactMap { devices[$0]?.name })
        authors = damaged
        return names.first(where: known.contains)
    }
}
