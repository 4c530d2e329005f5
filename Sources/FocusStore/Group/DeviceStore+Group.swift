import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// Makes the device a member of a group, under this epoch. What it wrote alone becomes the group's: for a new
    /// group, which the log is brought into whole, or after `startOver`.
    package func enter(_ group: GroupID, _ epoch: StoredEpoch) throws(StoreError) {
        try writing {
            try setGroup(group)
            try add(epoch)
            try database.run("UPDATE events SET epoch = ? WHERE epoch IS NULL", epoch.id)
        }
    }

    /// Keeps a copy of the database, which can be opened for reading alone, and begins an empty log that belongs to
    /// no group, as a fresh replica. The device's own settings stay.
    ///
    /// - Parameters:
    ///   - path: Where the copy goes; nothing may be there.
    ///   - forgotten: What goes besides, of what is kept by name.
    package func startOver(
        keepingCopyAt path: String, forgetting forgotten: [ProfileKey] = []
    ) throws(StoreError) {
        try writing {
            // From another connection, since this one holds the lock: nobody can write between copy and clearing.
            try copyCommitted(to: path)
            for table in [
                "events", "undos", "forward_undos", "forward_starts", "replicas", "checkpoints", "journal",
                "epochs",
                "epoch_records", "devices", "tails_aside",
            ] {
                try database.execute("DELETE FROM \(table)")
            }
            written.forget()
            for key in ProfileKey.ofGroup + forgotten { try setValue(nil, for: key) }
            try insertFreshReplica()
        }
    }

    /// Copies the database as it was before the transaction that is open.
    func copyCommitted(to path: String) throws {
        let reader = try Database(path: self.path, on: disk, access: .readOnly)
        try reader.copy(to: path)
        disk.makeReadOnly(path: path)
    }

    // MARK: - Folders on the log's disk

    /// Makes a folder for this user alone: the first of the choices, from 1 on, that isn't there yet.
    ///
    /// - Throws: `StoreError`, which says which folder can't be made and why.
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

    /// Removes a folder, where it is empty.
    package func removeFolder(_ path: String) { disk.removeFolder(path: path) }
}

extension DeviceStore {
    /// The keys by which the device takes its group's server; nil where it has none.
    package func serverPin() throws(StoreError) -> ServerPin? {
        guard let key = try value(.serverKey).flatMap(Digest.init(bytes:)) else { return nil }
        return ServerPin(key, next: try value(.nextServerKey).flatMap(Digest.init(bytes:)))
    }

    /// Keeps the keys by which the device takes its group's server.
    package func setServerPin(_ pin: ServerPin) throws(StoreError) {
        try writing {
            try setValue(pin.key.bytes, for: .serverKey)
            try setValue(pin.next?.bytes, for: .nextServerKey)
        }
    }
}
