import FocusColumns
package import FocusCore
import SQLiteKit

/// An epoch's key as the device keeps it.
package struct StoredEpoch: Hashable, Sendable {
    /// The epoch's name, which is made from its key.
    package let id: EpochID
    /// The epoch's secret. Never shown.
    package let key: [UInt8]
    /// The epoch that it follows; nil for a group's first, and where no record here says which.
    package let predecessor: EpochID?

    /// An epoch of these parts. Whether the key is 32 bytes, and the id's, isn't checked.
    package init(id: EpochID, key: [UInt8], predecessor: EpochID?) {
        self.id = id
        self.key = key
        self.predecessor = predecessor
    }
}

/// What this laptop knows of a device of its group, besides what the log says.
package struct GroupDevice: Hashable, Sendable {
    /// Whether the server keeps it out, or this laptop has had it kept out. The store keeps that for good: whether it
    /// was taken back is what the log says.
    package let listing: RosterEntry
    /// Whether a person has accepted it here, so that it gets the group's newest key.
    package let isAccepted: Bool
    /// Whether it waits for that.
    package let isLate: Bool

    /// A device as it is listed; unless said otherwise, one that nobody has to accept here.
    package init(_ listing: RosterEntry, isAccepted: Bool = false, isLate: Bool = false) {
        self.listing = listing
        self.isAccepted = isAccepted
        self.isLate = isLate
    }

    /// The hash of its public key.
    package var key: Digest { listing.device }
    /// Whether it is kept out, as it is listed.
    package var isRevoked: Bool { listing.isRevoked }
}

extension DeviceStore {
    /// The epochs whose keys are here, the newest last; none where the device is alone.
    package func epochs() throws(StoreError) -> [StoredEpoch] {
        try StoreError.translating {
            var epochs: [StoredEpoch] = []
            try database.forEach("SELECT epoch, key, predecessor FROM epochs ORDER BY number") {
                epochs.append(StoredEpoch(id: $0[0], key: $0[1], predecessor: $0[2]))
            }
            return epochs
        }
    }

    /// Keeps an epoch's key. The device writes under it from its next press on, unless the epoch comes before one
    /// that is here already.
    package func add(_ epoch: StoredEpoch) throws(StoreError) {
        try writing {
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

    /// Keeps the keys of epochs in this order: the device writes under the last one from its next press on.
    package func replaceEpochs(with epochs: [StoredEpoch]) throws(StoreError) {
        try writing {
            try database.run("DELETE FROM epochs")
            for (number, epoch) in epochs.enumerated() {
                try database.run(
                    "INSERT INTO epochs (epoch, number, key, predecessor) VALUES (?, ?, ?, ?)",
                    epoch.id, number + 1, epoch.key, epoch.predecessor)
            }
        }
    }

    /// The epochs of events that can't be read yet, those left aside that are damaged.
    package func sealedEpochs() throws(StoreError) -> [EpochID] {
        try StoreError.translating {
            var epochs: [EpochID] = []
            try database.forEach("SELECT DISTINCT epoch FROM events WHERE is_sealed = 1 ORDER BY epoch") {
                epochs.append($0[0])
            }
            return epochs
        }
    }

    /// The epoch of a replica's last event that can be read, so that its author had the key; nil where there is none, or
    /// it was written alone.
    package func lastEpoch(of replica: ReplicaID) throws(StoreError) -> EpochID? {
        try StoreError.translating {
            try database.first(
                "SELECT epoch FROM events WHERE replica = ? AND NOT is_sealed ORDER BY seq DESC LIMIT 1",
                replica,
                read: { $0[0] as EpochID? }) ?? nil
        }
    }

    /// The records of the group's epochs.
    package func epochRecords() throws(StoreError) -> [EpochRecord] {
        try StoreError.translating {
            var records: [EpochRecord] = []
            try database.forEach("SELECT epoch, predecessor, body FROM epoch_records ORDER BY epoch") {
                records.append(EpochRecord(epoch: $0[0], predecessor: $0[1], body: $0[2]))
            }
            return records
        }
    }

    /// The epochs that have records here, each with its body's length.
    package func epochRecordSizes() throws(StoreError) -> [EpochID: Int] {
        try StoreError.translating {
            var sizes: [EpochID: Int] = [:]
            try database.forEach("SELECT epoch, length(body) FROM epoch_records") { sizes[$0[0]] = $0[1] }
            return sizes
        }
    }

    /// Removes epochs' records.
    package func removeRecords(_ epochs: Set<EpochID>) throws(StoreError) {
        try writing(.normal) {
            for epoch in epochs { try database.run("DELETE FROM epoch_records WHERE epoch = ?", epoch) }
        }
    }

    /// Removes devices from the list: what the log says of them stays.
    package func removeDevices(_ devices: some Sequence<Digest>) throws(StoreError) {
        try writing {
            for device in devices {
                try database.run("DELETE FROM devices WHERE device = ?", device.bytes)
            }
        }
    }

    /// Keeps an epoch's record; one with a body that is here already stays.
    package func add(_ record: EpochRecord) throws(StoreError) {
        try writing {
            try database.run(
                """
                INSERT INTO epoch_records (epoch, predecessor, body) VALUES (?, ?, ?)
                ON CONFLICT (epoch) DO UPDATE SET predecessor = excluded.predecessor, body = excluded.body
                WHERE length(body) = 0
                """, record.epoch, record.predecessor, record.body)
        }
    }

    /// Keeps an epoch's record, in the place of one that is here already.
    package func replace(_ record: EpochRecord) throws(StoreError) {
        try writing {
            try database.run(
                "INSERT OR REPLACE INTO epoch_records (epoch, predecessor, body) VALUES (?, ?, ?)",
                record.epoch, record.predecessor, record.body)
        }
    }

    /// The group's devices, those that were revoked included.
    package func devices() throws(StoreError) -> [GroupDevice] {
        try StoreError.translating {
            var devices: [GroupDevice] = []
            try database.forEach(
                "SELECT device, is_revoked, is_accepted, is_late FROM devices ORDER BY device"
            ) {
                devices.append(
                    GroupDevice(
                        RosterEntry(device: try $0.digest(0), isRevoked: $0[1]), isAccepted: $0[2],
                        isLate: $0[3]))
            }
            return devices
        }
    }

    /// Keeps devices of the group. A revocation stays for ever, whatever is said later.
    package func upsert(_ roster: [RosterEntry]) throws(StoreError) {
        try writing {
            for entry in roster {
                try database.run(
                    """
                    INSERT INTO devices (device, is_revoked) VALUES (?, ?)
                    ON CONFLICT (device) DO UPDATE SET is_revoked = max(is_revoked, excluded.is_revoked)
                    """, entry.device.bytes, entry.isRevoked)
            }
        }
    }

    /// Keeps that a person accepts a device.
    package func accept(_ device: Digest) throws(StoreError) {
        try writing {
            try database.run(
                """
                INSERT INTO devices (device, is_revoked, is_accepted) VALUES (?, 0, 1)
                ON CONFLICT (device) DO UPDATE SET is_accepted = 1, is_late = 0
                """, device.bytes)
        }
    }

    /// The devices that wait for a person to accept them.
    package func latecomers() throws(StoreError) -> Set<Digest> {
        try StoreError.translating {
            var keys: Set<Digest> = []
            try database.forEach("SELECT device FROM devices WHERE is_late AND NOT is_revoked") {
                keys.insert(try $0.digest(0))
            }
            return keys
        }
    }

    /// Keeps which devices wait for a person to accept them: these, and no others.
    package func replaceLatecomers(_ devices: Set<Digest>) throws(StoreError) {
        try writing {
            try database.run("UPDATE devices SET is_late = 0 WHERE is_late")
            for device in devices {
                try database.run(
                    """
                    INSERT INTO devices (device, is_revoked, is_late) VALUES (?, 0, 1)
                    ON CONFLICT (device) DO UPDATE SET is_late = 1
                    """, device.bytes)
            }
        }
    }

    /// The epoch that the device writes under; nil where it is alone.
    func newestEpoch() throws -> EpochID? {
        try database.first("SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1", read: { $0[0] })
    }
}
