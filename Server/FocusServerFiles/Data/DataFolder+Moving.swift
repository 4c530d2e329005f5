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
            guard access(store, F_OK) != 0, !hasLogWithoutStore else { throw MoveFailure.hasContent }
            let part = "\(store).moving"
            progress = try StoreMove.run(from: source, to: target, file: part, now: now, say: say)
            // What is beside it holds nothing any more, as the last connection to it has closed, and isn't the new store's.
            let beside = Database.files(of: part).dropFirst()
            guard beside.dropLast().allSatisfy(DataFolder.isEmpty), rename(part, store) == 0 else {
                throw SystemError("\(store) can't be made")
            }
            for file in beside { unlink(file) }
            takeOver(store)
            try FolderNames(of: store).makeDurable()
        } else {
            progress = try StoreMove.run(from: source, to: target, file: store, now: now, say: say)
        }
        try note()
        lock.letGo()
        return progress
    }

    /// Whether a server that was killed has left something in the store's write-ahead log, though the store is gone: it would
    /// be read into whatever is put in the store's place.
    var hasLogWithoutStore: Bool {
        access(store, F_OK) != 0
            && !Database.files(of: store).dropFirst().dropLast().allSatisfy(DataFolder.isEmpty)
    }

    /// Whether there is nothing in a file, or no such file.
    private static func isEmpty(_ file: String) -> Bool {
        var status = stat()
        return stat(file, &status) != 0 || status.st_size == 0
    }
}
