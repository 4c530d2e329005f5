import FocusCore
import FocusStore

/// Whose events a laptop was known to have that are damaged when it last spoke of any: of nobody it speaks twice.
struct DamageBook {
    private var authors: Set<ReplicaID> = []

    /// Notes that the laptop has spoken of these, by name.
    ///
    /// - Returns: whom it had spoken of before; nil where of none.
    mutating func note(_ names: [String], _ store: DeviceStore) throws -> String? {
        let damaged = Set(try store.damagedCounts().keys)
        let devices = try store.state().devices
        let known = Set(authors.intersection(damaged).compactMap { devices[$0]?.name })
        authors = damaged
        return names.first(where: known.contains)
    }
}
