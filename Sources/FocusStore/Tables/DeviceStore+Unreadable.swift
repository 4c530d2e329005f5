import FocusColumns
package import FocusCore
import SQLiteKit

/// The amount of a log that can't be read: events that are sealed under a key that isn't here, are damaged,
/// or were damaged already when they moved to a branch. A server may have forged all of them.
package struct UnreadableEvents: Hashable, Sendable {
    /// The number of other devices' replicas without any readable event.
    package var replicas: Int
    /// The size in bytes of the unreadable events and of all events in tails that were put aside
    /// (`DeviceStore.putAside`).
    package var bytes: Int

    /// - Parameters:
    ///   - replicas: The number of other devices' replicas without any readable event.
    ///   - bytes: The size of the events, counted as in `StoredEvent.size`.
    package init(replicas: Int, bytes: Int) {
        self.replicas = replicas
        self.bytes = bytes
    }
}

extension StoredEvent {
    /// Whether the event can be read and isn't empty. An early event is readable too.
    package var isReadable: Bool {
        switch body {
        case .plain(let bytes), .early(let bytes): !bytes.isEmpty
        case .sealed, .damaged: false
        }
    }

    /// The approximate size on the disk, in bytes.
    package var size: Int { body.bytes.count + StoredEvent.rowSize }

    /// The approximate size of a row's other columns, in bytes.
    fileprivate static let rowSize = 64
}

extension DeviceStore {
    /// Returns the amount of the log that can't be read. Cost: linear in that amount and in the number of
    /// replicas.
    package func unreadableEvents() throws(StoreError) -> UnreadableEvents {
        try reading { () throws(StoreError) in
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

    /// The rule of `StoredEvent.isReadable` for a row. In the column `is_sealed`, 0 stands for plain and 3 for
    /// early (`StoredEvent.Body.kind`).
    private static let isReadableRow = "is_sealed IN (0, 3) AND body != x''"

    /// Returns the replicas of other devices without any readable event.
    private func unreadableReplicas() throws(StoreError) -> [ReplicaID] {
        var replicas: [ReplicaID] = []
        let sql = """
            SELECT replica FROM replicas WHERE own = 0 AND seq > 0 AND NOT EXISTS
                (SELECT 1 FROM events
                    WHERE events.replica = replicas.replica AND \(DeviceStore.isReadableRow))
            """
        try database.forEach(sql) { replicas.append($0[0]) }
        return replicas
    }

    /// Returns the epochs of a replica's sealed events, in the order of each epoch's first such event. The
    /// keys of these epochs aren't here. Events that the server has acknowledged don't count.
    ///
    /// - Parameter limit: The number of epochs to return at most.
    package func sealedEpochs(of replica: ReplicaID, limit: Int) throws(StoreError) -> [EpochID] {
        var epochs: [EpochID] = []
        let sql = """
            SELECT epoch FROM events JOIN replicas USING (replica)
            WHERE replica = ? AND is_sealed = 1 AND events.seq > acknowledged
            GROUP BY epoch ORDER BY min(events.seq) LIMIT ?
            """
        try database.forEach(sql, replica, limit) { epochs.append($0[0]) }
        return epochs
    }

    /// Removes other devices' replicas that have no readable event, unless the server has events of them.
    /// Also removes tails put aside that have no readable event.
    ///
    /// - Parameters:
    ///   - vector: The server's version vector.
    ///   - epochs: The epochs for which a key may still arrive. A replica or tail with events sealed under
    ///     one of these keys stays.
    /// - Returns: Whether any replica was removed.
    package func removeUnreadable(
        besides vector: VersionVector, waitingFor epochs: Set<EpochID>
    ) throws(StoreError) -> Bool {
        try writing(.normal) { () throws(StoreError) in
            try removeTailsAside(waitingFor: epochs)
            let sealed = "SELECT DISTINCT epoch FROM events WHERE replica = ? AND is_sealed = 1"
            var removed: [ReplicaID] = []
            for replica in try unreadableReplicas() where vector.heads[replica] == nil {
                if try isDisjoint(epochs, sealed, replica) { removed.append(replica) }
            }
            for replica in removed {
                try database.run("DELETE FROM events WHERE replica = ?", replica)
                try database.run("DELETE FROM replicas WHERE replica = ?", replica)
            }
            guard !removed.isEmpty else { return false }
            try dropCaches()
            try replayed()
            return true
        }
    }

    /// Removes tails put aside that have no readable event, unless they have events of one of `epochs`.
    private func removeTailsAside(waitingFor epochs: Set<EpochID>) throws(StoreError) {
        var tails: [(replica: ReplicaID, parted: Chain)] = []
        let sql = """
            SELECT replica, parted FROM tails_aside
                GROUP BY replica, parted HAVING NOT max(\(DeviceStore.isReadableRow))
            """
        try database.forEach(sql) { tails.append(($0[0], $0[1])) }
        for (replica, parted) in tails {
            let tailEpochs = "SELECT DISTINCT epoch FROM tails_aside WHERE replica = ? AND parted = ?"
            guard try isDisjoint(epochs, tailEpochs, replica, parted) else { continue }
            try database.run("DELETE FROM tails_aside WHERE replica = ? AND parted = ?", replica, parted)
        }
    }

    /// Whether none of the epochs in the query's result is in `epochs`.
    private func isDisjoint<A: SQLiteValue, B: SQLiteValue>(
        _ epochs: Set<EpochID>, _ sql: String, _ a: A = NoValue(), _ b: B = NoValue()
    ) throws(StoreError) -> Bool {
        var isDisjoint = true
        try database.forEach(sql, a, b) { row in
            let epoch: EpochID? = row[0]
            if let epoch, epochs.contains(epoch) { isDisjoint = false }
        }
        return isDisjoint
    }

    /// Returns the file's unused space to the disk if it is more than 8 MiB.
    ///
    /// - Returns: False if another connection kept the file from shrinking, or if a transaction is open. The
    ///   caller should try again later. If the disk is too full to shrink the file, true: the file uses the
    ///   space later.
    package func releaseFreeSpace() throws(StoreError) -> Bool {
        guard !database.isInTransaction else { return false }
        let free: Int = try database.first("PRAGMA freelist_count", read: { $0[0] }) ?? 0
        let page: Int = try database.first("PRAGMA page_size", read: { $0[0] }) ?? 0
        if free * page > DeviceStore.releaseThreshold { try? database.execute("VACUUM") }
        // The file shrinks only after the whole write-ahead log has been copied into it.
        return try database.first("PRAGMA wal_checkpoint(TRUNCATE)", read: { $0[0] == 0 }) ?? true
    }

    private static let releaseThreshold = 8 << 20
}
