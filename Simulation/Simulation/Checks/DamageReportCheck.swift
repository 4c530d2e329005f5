import FocusCore
import FocusStore

/// Checks that a laptop reports each author of damaged events once.
struct DamageReportCheck {
    private var authors: Set<ReplicaID> = []

    /// Records that the laptop has reported damaged events of the authors with these names.
    ///
    /// - Returns: The name of an author that was reported before, or nil if there is none.
    mutating func note(_ names: [String], _ store: DeviceStore) throws -> String? {
        let damaged = Set(try store.damagedCounts().keys)
        let devices = try store.state().devices
        let known = Set(authors.intersection(damaged).compactMap { devices[$0]?.name })
        authors = damaged
        return names.first(where: known.contains)
    }
}
