import FocusColumns
package import FocusCore
import SQLiteKit

/// An epoch's key as the device stores it.
package struct StoredEpoch: Hashable, Sendable {
    /// The epoch's name, which is derived from its key.
    package let id: EpochID
    /// The epoch's secret key. It is never shown.
    package let key: [UInt8]
    /// The epoch before it; nil for a group's first, or if no record here names one.
    package let predecessor: EpochID?

    /// Creates an epoch from its parts. Doesn't check that the key is 32 bytes long or belongs to the id.
    package init(id: EpochID, key: [UInt8], predecessor: EpochID?) {
        self.id = id
        self.key = key
        self.predecessor = predecessor
    }
}

/// A device of the group as this laptop knows it, apart from the log.
package struct GroupDevice: Hashable, Sendable {
    /// The device's roster entry. If the server or this laptop revoked the device, the entry says so forever;
    /// the log says whether it was readmitted.
    package let listing: RosterEntry
    /// The stamp of the log's latest ruling on the device at the time that a person accepted the device here;
    /// 0 if the log had no ruling then. Nil if nobody has accepted the device here.
    package let accepted: Stamp?
    /// The statements about the device in the epoch records, at the last check.
    package let standing: EpochStanding
    /// The shared time at which a server first listed the device to this laptop; nil if none has.
    package let heard: SharedInstant?

    /// Creates a device from its roster entry; by default nobody has accepted it and no record names it.
    package init(
        _ listing: RosterEntry, accepted: Stamp? = nil, standing: EpochStanding = [],
        heard: SharedInstant? = nil
    ) {
        self.listing = listing
        self.accepted = accepted
        self.standing = standing
        self.heard = heard
    }

    /// The hash of the device's public key.
    package var key: Digest { listing.device }
    /// Whether the roster entry says that the device is revoked.
    package var isRevoked: Bool { listing.isRevoked }
}

/// The statements about a device in the epoch records that a laptop trusts (docs/protocol.md, "Making one").
package struct EpochStanding: OptionSet, Hashable, Sendable {
    /// The stored value.
    package let rawValue: UInt8

    /// Creates a standing from its stored value.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A record names the device as revoked.
    package static let shutOut = EpochStanding(rawValue: 1)
    /// A record of an epoch that isn't outdated has a key for the device.
    package static let recipient = EpochStanding(rawValue: 2)
    /// The device writes only under outdated epochs.
    package static let outdated = EpochStanding(rawValue: 4)
}

extension DeviceStore {
    /// Returns the epochs with keys here, the newest last; empty if the device is in no group.
    package func epochs() throws(StoreError) -> [StoredEpoch] {
        var epochs: [StoredEpoch] = []
        try database.forEach("SELECT epoch, key, predecessor FROM epochs ORDER BY number") {
            epochs.append(StoredEpoch(id: $0[0], key: $0[1], predecessor: $0[2]))
        }
        return epochs
    }

    /// Stores an epoch and its key, unless they are stored already. The device writes under the epoch from
    /// its next press on, unless the epoch is the predecessor of a stored one.
    package func add(_ epoch: StoredEpoch) throws(StoreError) {
        try writing { () throws(StoreError) in
            let known = try epochs()
            guard !known.contains(where: { $0.id == epoch.id }) else { return }
            let isOlder = known.contains { $0.predecessor == epoch.id }
            let number: Int64? =
                try database.first(
                    isOlder ? "SELECT min(number) - 1 FROM epochs" : "SELECT max(number) + 1 FROM epochs",
                    read: { $0[0] }) ?? nil
            try database.run(
                "INSERT INTO epochs (epoch, number, key, predecessor) VALUES (?, ?, ?, ?)",
                epoch.id, number ?? 1, epoch.key, epoch.predecessor)
        }
    }

    /// Replaces the epochs' keys, in this order. The device writes under the last one from its next press on.
    package func replaceEpochs(with epochs: [StoredEpoch]) throws(StoreError) {
        try writing { () throws(StoreError) in
            try database.run("DELETE FROM epochs")
            for (number, epoch) in epochs.enumerated() {
                try database.run(
                    "INSERT INTO epochs (epoch, number, key, predecessor) VALUES (?, ?, ?, ?)",
                    epoch.id, number + 1, epoch.key, epoch.predecessor)
            }
        }
    }

    /// Returns the epochs of events that wait for their key. Damaged events don't count.
    package func sealedEpochs() throws(StoreError) -> [EpochID] {
        var epochs: [EpochID] = []
        try database.forEach("SELECT DISTINCT epoch FROM events WHERE is_sealed = 1 ORDER BY epoch") {
            epochs.append($0[0])
        }
        return epochs
    }

    /// Returns the epoch of a replica's last event that counts. The event's author had the epoch's key. Nil
    /// if there is no such event, or if it was written without a group.
    package func lastEpoch(of replica: ReplicaID) throws(StoreError) -> EpochID? {
        try database.first(
            "SELECT epoch FROM events WHERE replica = ? AND NOT is_sealed ORDER BY seq DESC LIMIT 1",
            replica,
            read: { $0[0] as EpochID? }) ?? nil
    }

    /// Returns the stamp of a replica's first event; nil if that isn't here.
    package func firstStamp(of replica: ReplicaID) throws(StoreError) -> Stamp? {
        try database.first(
            "SELECT stamp FROM events WHERE replica = ? AND seq = 1", replica, read: { $0[0] })
    }

    /// Returns the records of the group's epochs.
    package func epochRecords() throws(StoreError) -> [EpochRecord] {
        var records: [EpochRecord] = []
        try database.forEach("SELECT epoch, predecessor, body FROM epoch_records ORDER BY epoch") {
            records.append(EpochRecord(epoch: $0[0], predecessor: $0[1], body: $0[2]))
        }
        return records
    }

    /// Returns the length in bytes of each epoch record's body.
    package func epochRecordSizes() throws(StoreError) -> [EpochID: Int] {
        var sizes: [EpochID: Int] = [:]
        try database.forEach("SELECT epoch, length(body) FROM epoch_records") { sizes[$0[0]] = $0[1] }
        return sizes
    }

    /// Removes the records of these epochs.
    package func removeRecords(_ epochs: Set<EpochID>) throws(StoreError) {
        try writing(.normal) { () throws(StoreError) in
            for epoch in epochs { try database.run("DELETE FROM epoch_records WHERE epoch = ?", epoch) }
        }
    }

    /// Removes devices from the table. The log's events about them stay.
    package func removeDevices(_ devices: some Sequence<Digest>) throws(StoreError) {
        try writing { () throws(StoreError) in
            for device in devices {
                try database.run("DELETE FROM devices WHERE device = ?", device.bytes)
            }
        }
    }

    /// Stores an epoch's record, unless one with a non-empty body is stored already.
    package func add(_ record: EpochRecord) throws(StoreError) {
        try writing { () throws(StoreError) in
            try database.run(
                """
                INSERT INTO epoch_records (epoch, predecessor, body) VALUES (?, ?, ?)
                ON CONFLICT (epoch) DO UPDATE SET predecessor = excluded.predecessor, body = excluded.body
                WHERE length(body) = 0
                """, record.epoch, record.predecessor, record.body)
        }
    }

    /// Stores an epoch's record. It replaces a stored one.
    package func replace(_ record: EpochRecord) throws(StoreError) {
        try writing { () throws(StoreError) in
            try database.run(
                "INSERT OR REPLACE INTO epoch_records (epoch, predecessor, body) VALUES (?, ?, ?)",
                record.epoch, record.predecessor, record.body)
        }
    }

    /// Returns the group's devices, including revoked ones.
    package func devices() throws(StoreError) -> [GroupDevice] {
        var devices: [GroupDevice] = []
        try database.forEach(
            "SELECT device, is_revoked, accepted, standing, heard FROM devices ORDER BY device"
        ) { (row: borrowing Row) throws(StoreError) in
            let device: Digest
            do throws(RowCorruption) { device = try row.digest(0) } catch { throw StoreError(error) }
            devices.append(
                GroupDevice(
                    RosterEntry(device: device, isRevoked: row[1]), accepted: row[2],
                    standing: EpochStanding(rawValue: UInt8(clamping: row[3] as Int)), heard: row[4]))
        }
        return devices
    }

    /// Stores roster entries. A stored revocation is never removed.
    ///
    /// - Parameters:
    ///   - roster: The devices' entries.
    ///   - now: The shared time at which a server sent the entries; nil if none did.
    package func upsert(_ roster: [RosterEntry], at now: SharedInstant? = nil) throws(StoreError) {
        try writing { () throws(StoreError) in
            for entry in roster {
                try database.run(
                    """
                    INSERT INTO devices (device, is_revoked, heard) VALUES (?, ?, ?)
                    ON CONFLICT (device) DO UPDATE SET is_revoked = max(is_revoked, excluded.is_revoked),
                    heard = coalesce(heard, excluded.heard)
                    """, entry.device.bytes, entry.isRevoked, now)
            }
        }
    }

    /// Records that a person accepts a device. The acceptance holds until the log has another ruling on the
    /// device.
    package func accept(_ device: Digest) throws(StoreError) {
        try writing { () throws(StoreError) in
            try database.run(
                """
                INSERT INTO devices (device, is_revoked, accepted) VALUES (?, 0, ?)
                ON CONFLICT (device) DO UPDATE SET accepted = excluded.accepted
                """, device.bytes, state().rulings[device]?.position.stamp ?? .zero)
        }
    }

    /// Replaces the standings of all devices. A device that isn't in `standings` gets an empty one.
    package func replaceStandings(with standings: [Digest: EpochStanding]) throws(StoreError) {
        try writing { () throws(StoreError) in
            for device in try devices() where device.standing != standings[device.key] ?? [] {
                try database.run(
                    "UPDATE devices SET standing = ? WHERE device = ?",
                    Int(standings[device.key]?.rawValue ?? 0), device.key.bytes)
            }
            for (device, standing) in standings {
                try database.run(
                    "INSERT OR IGNORE INTO devices (device, is_revoked, standing) VALUES (?, 0, ?)",
                    device.bytes, Int(standing.rawValue))
            }
        }
    }

    /// The epoch that the device writes under; nil if it is in no group.
    func newestEpoch() throws(StoreError) -> EpochID? {
        try database.first("SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1", read: { $0[0] })
    }
}
