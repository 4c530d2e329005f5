import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// Makes the device a member of a group, under this epoch. Events written without a group become the
    /// group's. Call it for a new group that receives the whole log, or after `startOver`.
    package func enter(_ group: GroupID, _ epoch: StoredEpoch) throws(StoreError) {
        try writing { () throws(StoreError) in
            try setGroup(group)
            try add(epoch)
            try database.run("UPDATE events SET epoch = ? WHERE epoch IS NULL", epoch.id)
        }
    }

    /// Keeps a read-only copy of the database. Then begins an empty log that belongs to no group, as a fresh
    /// replica. The device's own settings stay.
    ///
    /// - Parameters:
    ///   - path: The path of the copy; nothing may be there.
    ///   - forgotten: The keys of further values to remove.
    package func startOver(
        keepingCopyAt path: String, forgetting forgotten: [StoredValueKey] = []
    ) throws(StoreError) {
        try writing { () throws(StoreError) in
            // The copy uses another connection. This one holds the write lock, so no process can write
            // between the copy and the clearing.
            try copyCommitted(to: path)
            for table in [
                "events", "undos", "forward_undos", "forward_starts", "replicas", "checkpoints", "journal",
                "epochs",
                "epoch_records", "devices", "tails_aside",
            ] {
                try database.execute("DELETE FROM \(table)")
            }
            for key in StoredValueKey.ofGroup + forgotten { try setValue(nil, for: key) }
            try insertFreshReplica()
        }
    }

    /// Copies the database as it was before the open transaction.
    func copyCommitted(to path: String) throws(StoreError) {
        try reader().copy(to: path)
        disk.makeReadOnly(path: path)
    }

    /// Opens another connection, which only reads.
    private func reader() throws(StoreError) -> DatabaseConnection<StoreError> {
        do throws(SQLiteError) {
            return try DatabaseConnection(path: path, on: disk, access: .readOnly) { StoreError($0) }
        } catch { throw StoreError(error) }
    }

    // MARK: - Folders on the log's disk

    /// Creates a folder that only this user may open, and returns its path. It is the first of `path(1)`,
    /// `path(2)`, … that doesn't exist yet.
    ///
    /// - Throws: `StoreError`, with a message that says which folder can't be made and why.
    package func makeFolder(_ path: (_ choice: Int) -> String) throws(StoreError) -> String {
        var choice = 1
        while true {
            let folder = path(choice)
            do {
                if try disk.makeFolder(path: folder) { return folder }
            } catch {
                throw StoreError(StoreError(error).code, "\(folder) can't be made: \(error.message)")
            }
            choice += 1
        }
    }

    /// Removes a folder if it is empty.
    package func removeFolder(_ path: String) { disk.removeFolder(path: path) }
}

extension DeviceStore {
    /// Returns the keys by which the device recognizes its group's server; nil if it has none.
    package func serverPin() throws(StoreError) -> ServerPin? {
        guard let key = try value(.serverKey).flatMap(Digest.init(bytes:)) else { return nil }
        return ServerPin(key, next: try value(.nextServerKey).flatMap(Digest.init(bytes:)))
    }

    /// Stores the keys by which the device recognizes its group's server.
    package func setServerPin(_ pin: ServerPin) throws(StoreError) {
        try writing { () throws(StoreError) in
            try setValue(pin.key.bytes, for: .serverKey)
            try setValue(pin.next?.bytes, for: .nextServerKey)
        }
    }
}
