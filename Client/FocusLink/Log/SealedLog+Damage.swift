import FocusCore
import FocusSeal
package import FocusStore

// Events that don't open though their epoch's key is here: damaged, or forged by somebody of the group.
extension SealedLog {
    /// The plain encoding of an event of an epoch whose key is here; nil where that doesn't open it, or it isn't padded
    /// as it should be.
    func plain(of event: SealedEvent) throws(SealError) -> [UInt8]? {
        try plain(Result { () throws(SealError) in try sealer.plain(of: event) })
    }

    /// As `plain(of:)`, of what came of opening it.
    func plain(_ opened: Result<[UInt8], SealError>) throws(SealError) -> [UInt8]? {
        do throws(SealError) {
            return try opened.get()
        } catch  where error.code == .notAuthentic || error.code == .malformedPadding {
            return nil
        }
    }

    /// Whose replicas these are, less those who had damaged events under another one before: each is spoken of once.
    func names(ofAuthors damaged: Set<ReplicaID>) throws -> [String] {
        guard !damaged.isEmpty else { return [] }
        let devices = try store.state().devices
        func name(_ replica: ReplicaID) -> String { devices[replica]?.name ?? DamagedEvents.unnamed }
        let before = Set(try store.damagedCounts().keys.filter { !damaged.contains($0) }.map(name))
        return Set(damaged.map(name)).subtracting(before).sorted()
    }
}

/// How many events of the log don't open though their epoch's key is here, by the names of those whose replicas they
/// stand in.
package struct DamagedEvents {
    /// Only those who have any; replicas that the log doesn't name count together.
    package let counts: [String: UInt64]

    /// Who writes as a replica that the log doesn't name.
    static let unnamed = "a laptop without a name"

    /// Counts what was found damaged so far, in time that goes by how much that is and how many replicas the log names.
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
