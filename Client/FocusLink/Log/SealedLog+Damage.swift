import FocusCore
import FocusSeal
package import FocusStore

// Events that don't open though their epoch's key is here: damaged, or forged by a member of the group.
extension SealedLog {
    /// Returns the plain encoding of an event with a known epoch key. Returns nil if the key doesn't open it,
    /// or if its padding is wrong.
    func plain(of event: SealedEvent) throws(StoreError) -> [UInt8]? {
        try plain(Result { () throws(SealError) in try sealer.plaintext(of: event) })
    }

    /// Returns the plain encoding from the result of opening the event. Returns nil and throws like
    /// `plain(of:)`.
    func plain(_ opened: Result<[UInt8], SealError>) throws(StoreError) -> [UInt8]? {
        do throws(SealError) {
            return try opened.get()
        } catch {
            guard error.code == .notAuthentic || error.code == .malformedPadding else {
                throw StoreError(error)
            }
            return nil
        }
    }

    /// Returns the names of these replicas' devices, without devices that had damaged events under another
    /// replica before. So each device is reported once.
    func names(ofAuthors damaged: Set<ReplicaID>) throws(StoreError) -> [String] {
        guard !damaged.isEmpty else { return [] }
        let devices = try store.state().devices
        func name(_ replica: ReplicaID) -> String { devices[replica]?.name ?? DamagedEvents.unnamed }
        let before = Set(try store.damagedCounts().keys.filter { !damaged.contains($0) }.map(name))
        return Set(damaged.map(name)).subtracting(before).sorted()
    }
}

/// The number of events that don't open though their epoch's key is here, by the name of the replica's
/// device.
package struct DamagedEvents {
    /// The numbers by name, without zeros. Replicas without a name in the log are counted together.
    package let counts: [String: UInt64]

    /// The name for replicas that the log doesn't name.
    static let unnamed = "a laptop without a name"

    /// Counts the damaged events found so far. Cost: linear in the number of replicas with damaged events and
    /// of replicas that the log names.
    package init(in store: DeviceStore) throws(StoreError) {
        let damaged = try store.damagedCounts()
        let devices = damaged.isEmpty ? [:] : try store.state().devices
        var counts: [String: UInt64] = [:]
        for (replica, count) in damaged {
            counts[devices[replica]?.name ?? DamagedEvents.unnamed, default: 0] += count
        }
        self.counts = counts
    }
}
