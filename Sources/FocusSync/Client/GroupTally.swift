import FocusCore

/// A limit on groups that a server exceeded.
package enum GroupSizeError: Error, Hashable, Sendable {
    /// Epochs, or bytes in their records' bodies.
    case epochs
    case devices
    case replicas
}

/// Counts the epochs, devices and replicas that a server names on one connection. An honest server has no
/// more of each than docs/protocol.md allows a group. Each message takes constant time.
struct GroupTally {
    /// The lengths of the bodies of the records that the device has or was sent, in bytes.
    private var records: [EpochID: Int]
    /// The sum of the lengths in `records`.
    private var recordBytes: Int
    /// The devices that the server has listed or called revoked.
    private var devices: Set<Digest>
    /// The replicas that the server has named.
    private var replicas: Set<ReplicaID>

    /// - Parameters:
    ///   - records: The records that the device has.
    ///   - unfounded: The unfounded records that the device has (`LocalLog.unfounded`).
    init(_ welcome: Welcome, _ records: [EpochRecord], besides unfounded: [EpochID: Int]) {
        // The device removes unfounded records that the welcome doesn't name, so they don't count.
        let named = Set(welcome.epochs)
        self.records = unfounded.filter { named.contains($0.key) }
        for record in records { self.records[record.epoch] = record.body.count }
        recordBytes = self.records.values.reduce(0, +)
        devices = Set(welcome.roster.map { $0.device })
        replicas = Set(welcome.vector.heads.keys)
    }

    /// Counts a record that arrived.
    ///
    /// - Throws: `GroupSizeError.epochs` if there are more records, or more bytes in their bodies, than any
    ///   group may have.
    mutating func count(_ record: EpochRecord) throws(GroupSizeError) {
        let added = record.body.count - (records[record.epoch] ?? 0)
        records[record.epoch] = record.body.count
        recordBytes += added
        guard records.count <= Limits.epochs, recordBytes <= Limits.epochBytes else { throw .epochs }
    }

    /// Counts a device that the server calls revoked.
    ///
    /// - Throws: `GroupSizeError.devices` if there are more devices than any group may have.
    mutating func count(_ device: Digest) throws(GroupSizeError) {
        devices.insert(device)
        guard devices.count <= Limits.devices else { throw .devices }
    }

    /// Counts a replica of which the server has sent events.
    ///
    /// - Throws: `GroupSizeError.replicas` if there are more replicas than any group may have.
    mutating func count(_ replica: ReplicaID) throws(GroupSizeError) {
        replicas.insert(replica)
        guard replicas.count <= Limits.heads else { throw .replicas }
    }
}
