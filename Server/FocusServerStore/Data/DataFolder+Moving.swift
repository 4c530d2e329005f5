package import FocusCore
import SQLiteKit
import SystemKit

extension DataFolder {
    /// Moves the content of the server's store from one place to another. The server's key and settings don't
    /// change, and the source store stays too. A new store in the folder is made under another name, and
    /// renamed when it is complete.
    ///
    /// - Parameters:
    ///   - now: The time of the machine's clock.
    ///   - didMoveGroup: Called after each group. If it throws, the groups moved so far stay.
    ///   - recordMove: Records that the move is done.
    /// - Returns: The numbers of moved groups and events.
    /// - Throws: `FolderFailure`, `SystemError`, and the errors of `StoreMove.run`. After an error, the same
    ///   call continues the move.
    package func moveStore(
        from source: StoreLocation, to target: StoreLocation, now: SharedInstant,
        didMoveGroup: (StoreMove.Progress) throws -> Void, recordMove: () throws -> Void
    ) throws -> StoreMove.Progress {
        guard !source.isInFolder || !target.isInFolder else { throw MoveFailure.isNoMove }
        if source.isInFolder {
            guard access(store, F_OK) == 0 else { throw FolderFailure.noServer(self) }
        } else {
            try create()
        }
        let lock = try DataLock(self)
        if source.isInFolder { try upgradeStore(holding: lock) { _ in } }
        let progress: StoreMove.Progress
        if target.isInFolder {
            guard !hasStore else { throw MoveFailure.hasContent }
            let part = "\(store).moving"
            progress = try StoreMove.run(
                from: source, to: target, file: part, now: now, didMoveGroup: didMoveGroup)
            // The journal files of `part` are empty, because its last connection is closed. They are removed:
            // the new store must not get them.
            guard !DataFolder.hasJournal(of: part), rename(part, store) == 0 else {
                throw SystemError("\(store) can't be made")
            }
            for file in Database.files(of: part).dropFirst() { unlink(file) }
            try FolderEntries(of: store).makeDurable()
        } else {
            progress = try StoreMove.run(
                from: source, to: target, file: store, now: now, didMoveGroup: didMoveGroup)
        }
        try recordMove()
        lock.letGo()
        return progress
    }

    /// Whether the folder contains a store, or the journal of a missing store, which a killed server left.
    /// SQLite would apply that journal to a new store at the same place.
    var hasStore: Bool { access(store, F_OK) == 0 || DataFolder.hasJournal(of: store) }

    /// Whether a database's journal or write-ahead log has content.
    private static func hasJournal(of database: String) -> Bool {
        // Skips the database itself, which is first, and its shared memory, which is last.
        Database.files(of: database).dropFirst().dropLast().contains { file in
            var status = stat()
            return stat(file, &status) == 0 && status.st_size > 0
        }
    }
}
