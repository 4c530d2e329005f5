import FocusColumns
package import FocusCore
import SQLiteKit

/// How much of a log can't be read: sealed under a key that isn't here, damaged, or damaged before it was moved to a
/// branch. A server may have made all of it up.
package struct UnreadableEvents: Hashable, Sendable {
    /// The replicas of others of which nothing can be read.
    package var replicas: Int
    /// What the events that can't be read take, in bytes. Those that are put aside count too.
    package var bytes: Int

    /// - Parameter bytes: As `StoredEvent.size` counts them.
    package init(replicas: Int, bytes: Int) {
        self.replicas = replicas
        self.bytes = bytes
    }
}

extension StoredEvent {
    /// Whether it can be read, and says something, if only once its time has come.
    package var isReadable: Bool {
        switch body {
        case .plain(let bytes), .early(let bytes): !bytes.isEmpty
        case .sealed, .damaged: false
        }
    }

    /// What it takes on the disk, about, in bytes.
    package var size: Int { body.bytes.count + StoredEvent.rowSize }

    fileprivate static let rowSize = 64
}

extension DeviceStore {
    /// How much of the log can't be read. Cost: linear in that, and in the number of replicas.
    package func unreadableEvents() throws(StoreError) -> UnreadableEvents {
        try reading {
            let tables = [
                "events INDEXED BY events_sealed WHERE is_sealed = 1",
                "events INDEXED BY events_damaged WHERE is_sealed = 2", "tails_aside",
            ]
            var bytes = 0
            for table in tables {
                let sql = "SELECT coalesce(sum(length(body) + \(StoredEvent.rowSize)), 0) FROM \(table)"
                bytes += try database.first(sql, read: { $0[0] }) ?? 0
            }
            return UnreadableEvents(replicas: try unreadableReplicas().count, bytes: bytes)
        }
    }

    /// The replicas of others of which nothing can be read.
    private func unreadableReplicas() throws -> [ReplicaID] {
        var replicas: [ReplicaID] = []
        let sql = """
            SELECT replica FROM replicas WHERE own = 0 AND seq > 0 AND NOT EXISTS
                (SELECT 1 FROM events
                    WHERE events.replica = replicas.replica AND is_sealed IN (0, 3) AND body != x'')
            """
        try database.forEach(sql) { replicas.append($0[0]) }
        return replicas
    }

    /// The epochs whose keys a replica's events wait for, as far as the server isn't known to have these: the first of
    /// them, at most `limit`.
    package func sealedEpochs(of replica: ReplicaID, limit: Int) throws(StoreError) -> [EpochID] {
        try StoreError.translating {
            var epochs: [EpochID] = []
            let sql = """
                SELECT epoch FROM events JOIN replicas USING (replica)
                WHERE replica = ? AND is_sealed = 1 AND events.seq > acknowledged
                GROUP BY epoch ORDER BY min(events.seq) LIMIT ?
                """
            try database.forEach(sql, replica, limit) { epochs.append($0[0]) }
            return epochs
        }
    }

    /// Removes the replicas of which nothing can be read and a server has nothing, and the tails that are put aside of
    /// which nothing can be read.
    ///
    /// - Parameters:
    ///   - vector: What the server has.
    ///   - epochs: What waits for the keys of these stays.
    /// - Returns: Whether there were any such replicas.
    package func removeUnreadable(
        besides vector: VersionVector, waitingFor epochs: Set<EpochID>
    ) throws(StoreError) -> Bool {
        try writing(.normal) {
            try removeTailsAside(waitingFor: epochs)
            let removed = try unreadableReplicas().filter { replica in
                guard vector.heads[replica] == nil else { return false }
                return try isDisjoint(
                    epochs, "SELECT DISTINCT epoch FROM events WHERE replica = ? AND is_sealed = 1", replica)
            }
            for replica in removed {
                try database.run("DELETE FROM events WHERE replica = ?", replica)
                try database.run("DELETE FROM replicas WHERE replica = ?", replica)
                written.append(replica)
            }
            guard !removed.isEmpty else { return false }
            try dropCaches()
            try replayed()
            return true
        }
    }

    private func removeTailsAside(waitingFor epochs: Set<EpochID>) throws {
        var tails: [(replica: ReplicaID, parted: Chain)] = []
        let sql = """
            SELECT replica, parted FROM tails_aside
                GROUP BY replica, parted HAVING NOT max(is_sealed IN (0, 3))
            """
        try database.forEach(sql) { tails.append(($0[0], $0[1])) }
        for (replica, parted) in tails {
            let names = "SELECT DISTINCT epoch FROM tails_aside WHERE replica = ? AND parted = ?"
            guard try isDisjoint(epochs, names, replica, parted) else { continue }
            try database.run("DELETE FROM tails_aside WHERE replica = ? AND parted = ?", replica, parted)
        }
    }

    /// Whether the epochs that a query gives are none of these.
    private func isDisjoint<each Value: SQLiteValue>(
        _ epochs: Set<EpochID>, _ sql: String, _ values: repeat each Value
    ) throws -> Bool {
        var isDisjoint = true
        try database.forEach(sql, repeat each values) { row in
            let epoch: EpochID? = row[0]
            if let epoch, epochs.contains(epoch) { isDisjoint = false }
        }
        return isDisjoint
    }

    /// Gives the disk back what the file doesn't use, if that is much.
    ///
    /// - Returns: False if another connection to the file kept it from shrinking, so it is to be tried again. If a full
    ///   disk did, the file uses the space later.
    package func giveBackSpace() throws(StoreError) -> Bool {
        try StoreError.translating {
            guard !database.isInTransaction else { return false }
            let free: Int = try database.first("PRAGMA freelist_count", read: { $0[0] }) ?? 0
            let page: Int = try database.first("PRAGMA page_size", read: { $0[0] }) ?? 0
            if free * page > DeviceStore.muchSpace { try? database.execute("VACUUM") }
            // The file shrinks only once the whole write-ahead log is in it.
            return try database.first("PRAGMA wal_checkpoint(TRUNCATE)", read: { $0[0] == 0 }) ?? true
        }
    }

    private static let muchSpace = 8 << 20
}
