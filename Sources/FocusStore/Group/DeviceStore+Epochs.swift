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
    /// The stamp of the log's last word on it when a person accepted it here, 0 if there was none; nil if nobody has.
    package let accepted: Stamp?
    /// What the epochs' records said of it when they were last looked at.
    package let standing: EpochStanding
    /// When this laptop first heard of it from a server, in shared time; nil if it hasn't.
    package let heard: SharedInstant?

    /// A device as it is listed; unless said otherwise, one that nobody has accepted and no record names.
    package init(
        _ listing: RosterEntry, accepted: Stamp? = nil, standing: EpochStanding = [],
        heard: SharedInstant? = nil
    ) {
        self.listing = listing
        self.accepted = accepted
        self.standing = standing
        self.heard = heard
    }

    /// The hash of its public key.
    package var key: Digest { listing.device }
    /// Whether it is kept out, as it is listed.
    package var isRevoked: Bool { listing.isRevoked }
}

/// What the records of the epochs that a laptop trusts say of a device (docs/protocol.md, "Making one").
package struct EpochStanding: OptionSet, Hashable, Sendable {
    /// As it is stored.
    package let rawValue: UInt8

    /// A standing as it was stored.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A record names it as revoked.
    package static let shutOut = EpochStanding(rawValue: 1)
    /// A record that isn't outdated is made for it.
    package static let recipient = EpochStanding(rawValue: 2)
    /// It writes under outdated epochs only.
    package static let outdated = EpochStanding(rawValue: 4)
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

    /// The stamp of a replica's first event; nil if that isn't here.
    package func firstStamp(of replica: ReplicaID) throws(StoreError) -> Stamp? {
        try StoreError.translating {
            try database.first(
                "SELECT stamp FROM events WHERE replica = ? AND seq = 1", replica, read: { $0[0] })
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
                "SELECT device, is_revoked, accepted, standing, heard FROM devices ORDER BY device"
            ) {
                devices.append(
                    GroupDevice(
                        RosterEntry(device: try $0.digest(0), isRevoked: $0[1]), accepted: $0[2],
                        standing: EpochStanding(rawValue: UInt8(clamping: $0[3] as Int)), heard: $0[4]))
            }
            return devices
        }
    }

    /// Keeps devices of the group. A revocation stays for ever, whatever is said later.
    ///
    /// - Parameter now: When a server said so, in shared time; nil if none did.
    package func upsert(_ roster: [RosterEntry], at now: SharedInstant? = nil) throws(StoreError) {
        try writing {
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

    /// Stores that a person accepts a device. It holds until the log says something else of whether it is revoked.
    package func accept(_ device: Digest) throws(StoreError) {
        try writing {
            try database.run(
                """
                INSERT INTO devices (device, is_revoked, accepted) VALUES (?, 0, ?)
                ON CONFLICT (device) DO UPDATE SET accepted = excluded.accepted
                """, device.bytes, state().rulings[device]?.position.stamp ?? .zero)
        }
    }

    /// Stores what the epochs' records say of devices: this, and nothing of any other.
    package func replaceStandings(with standings: [Digest: EpochStanding]) throws(StoreError) {
        try writing {
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

    /// The epoch that the device writes under; nil where it is alone.
    func newestEpoch() throws -> EpochID? {
        try database.first("SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1", read: { $0[0] })
    }
}
