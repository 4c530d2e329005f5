package import FocusCore
package import FocusServerStore
import SQLiteKit
import SystemKit

extension DataFolder {
    /// Brings all that the server's store has from one place to another. The server's key and settings stay as they are, and so
    /// does the store that it is moved from.
    ///
    /// Where it is to be in the folder, it is made in a file beside its place, which takes that place once it is whole.
    ///
    /// - Parameters:
    ///   - now: what the machine's clock shows.
    ///   - say: is told after each group; where it throws, what was moved so far stays.
    ///   - note: writes down that it was done.
    /// - Returns: how much there was.
    /// - Throws: `FolderFailure`, `SystemError`, and what `StoreMove.run` throws. Done again, it goes on where it ended.
    package func moveStore(
        from source: StorePlace, to target: StorePlace, now: SharedInstant,
        say: (StoreMove.Progress) throws -> Void, note: () throws -> Void
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
            progress = try StoreMove.run(from: source, to: target, file: part, now: now, say: say)
            // What is beside it holds nothing any more, as the last connection to it has closed, and isn't the new store's.
            guard !DataFolder.hasLog(of: part), rename(part, store) == 0 else {
                throw SystemError("\(store) can't be made")
            }
            for file in Database.files(of: part).dropFirst() { unlink(file) }
            try FolderNames(of: store).makeDurable()
        } else {
            progress = try StoreMove.run(from: source, to: target, file: store, now: now, say: say)
        }
        try note()
        lock.letGo()
        return progress
    }

    /// Whether there is a store in it, or what a killed server had in the log of one that is gone: that would be read into
    /// whatever is put in the store's place.
    var hasStore: Bool { access(store, F_OK) == 0 || DataFolder.hasLog(of: store) }

    /// Whether there is something in a database's journal or write-ahead log.
    private static func hasLog(of database: String) -> Bool {
        Database.files(of: database).dropFirst().dropLast().contains { file in
            var status = stat()
            return stat(file, &status) == 0 && status.st_size > 0
        }
    }
}
