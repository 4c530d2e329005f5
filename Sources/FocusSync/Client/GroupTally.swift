import FocusCore

/// What a server says there is more of than any group has.
package enum Excess: Error, Hashable, Sendable {
    /// Epochs, or bytes in their records.
    case epochs
    case devices
    case replicas
}

/// Counts what a server has told of its group on one connection: an honest server has no more of it than
/// docs/protocol.md lets a group have. Each message takes constant time.
struct GroupTally {
    /// The bodies of the records that the device has, or was sent, in bytes.
    private var records: [EpochID: Int]
    private var recordBytes: Int
    /// The devices that the server has listed or called revoked.
    private var devices: Set<Digest>
    /// The replicas that the server has, as far as it has named them.
    private var replicas: Set<ReplicaID>

    /// - Parameters:
    ///   - records: The records that the device has.
    ///   - unfounded: As `LocalLog.unfounded`.
    init(_ welcome: Welcome, _ records: [EpochRecord], besides unfounded: [EpochID: Int]) {
        let named = Set(welcome.epochs)
        self.records = unfounded.filter { named.contains($0.key) }
        for record in records { self.records[record.epoch] = record.body.count }
        recordBytes = self.records.values.reduce(0, +)
        devices = Set(welcome.roster.map { $0.device })
        replicas = Set(welcome.vector.heads.keys)
    }

    /// Counts a record that came.
    ///
    /// - Throws: `Excess.epochs` if no group has it beside the others.
    mutating func count(_ record: EpochRecord) throws(Excess) {
        let added = record.body.count - (records[record.epoch] ?? 0)
        records[record.epoch] = record.body.count
        recordBytes += added
        guard records.count <= Limits.epochs, recordBytes <= Limits.epochBytes else { throw .epochs }
    }

    /// Counts a device that the server calls revoked.
    ///
    /// - Throws: `Excess.devices` if no group has it beside the others.
    mutating func count(_ device: Digest) throws(Excess) {
        devices.insert(device)
        guard devices.count <= Limits.devices else { throw .devices }
    }

    /// Counts a replica that the server has sent events of.
    ///
    /// - Throws: `Excess.replicas` if no group has it beside the others.
    mutating func count(_ replica: ReplicaID) throws(Excess) {
        replicas.insert(replica)
        guard replicas.count <= Limits.heads else { throw .replicas }
    }
}
