package import FocusCore
import FocusSeal
package import SQLiteKit
import SystemKit

/// A server in one file, which `focusd backup` writes: a copy of its store at one moment. A table of the copy
/// contains the server's key and the announced key, if any. Only the server's user can read the file.
///
/// SQLite's `VACUUM INTO` makes the copy. It copies a single moment even if other processes write meanwhile.
/// The online backup API would start again at each write of another process
/// (<https://sqlite.org/lang_vacuum.html#vacuuminto>).
package struct BackupFile {
    /// The path of the file, which may not exist yet.
    let path: String

    /// The file at this path, which may not exist yet.
    package init(path: String) { self.path = path }

    /// Writes the file durably. The file appears complete or not at all. It is made in a private folder
    /// beside `path`, because it contains the server's key. A running server isn't delayed.
    ///
    /// - Parameter isChecked: Whether the copy is read and checked completely before it counts.
    /// - Throws: `BackupFailure` if the file exists already or can't be written, or if the store turns out to
    ///   be damaged; `SystemError`, `FolderFailure`. Then no part of the file is left.
    package func write(_ folder: DataFolder, isChecked: Bool = false) throws {
        try publish(make(of: folder, isChecked: isChecked), of: folder)
    }

    /// The unpublished file: the copy, and the hashes of the server's keys in it.
    struct Part: ~Copyable {
        fileprivate let folder: PartFolder
        fileprivate let keys: [Digest]
    }

    /// Makes the copy in a private folder beside `path`.
    func make(of folder: DataFolder, isChecked: Bool) throws -> Part {
        guard access(path, F_OK) != 0 else { throw BackupFailure.exists(path) }
        let keys = try folder.loadIdentities()
        guard folder.place.isInFolder else { throw BackupFailure.isInDatabase(folder) }
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        PartFolder.removeLeftovers(of: path)
        let part = try PartFolder(of: path)
        do {
            try BackupCopy(file: part.file).write(store, with: keys.map { try $0.pem() })
        } catch let error as SQLiteError {
            throw BackupFailure.unwritable(path, error)
        }
        if isChecked { try requireWhole(part.file, folder) }
        return Part(folder: part, keys: keys.map(\.keyHash))
    }

    /// Publishes the copy at `path`. Throws if the server's keys are no longer the keys in the copy.
    func publish(_ part: consuming Part, of folder: DataFolder) throws {
        // The store was copied after the keys were read.
        guard try folder.loadIdentities().map(\.keyHash) == part.keys else {
            throw BackupFailure.keysChanged
        }
        NewFile.transfer(part.folder.file, toOwnerAt: path)
        // Linking, unlike renaming, doesn't replace a file that another process made meanwhile.
        guard link(part.folder.file, path) == 0 else {
            guard errno == EEXIST else { throw SystemError("\(path) can't be made") }
            throw BackupFailure.exists(path)
        }
        try FolderEntries(of: path).makeDurable()
    }

    /// Throws if the store in the unpublished file at `path` has a problem.
    private func requireWhole(_ path: String, _ folder: DataFolder) throws {
        let check = try StoreCheck(SQLiteServerStore(at: path, access: .readOnly))
        guard let problem = check.problems.first else { return }
        throw BackupFailure.storeIsDamaged(problem, folder)
    }

    /// Returns the result of checking the file's store.
    package func check() throws -> StoreCheck {
        try reading { try StoreCheck(SQLiteServerStore(at: path, access: .readOnly)) }
    }

    /// Runs `body`, which reads the file, and turns its database errors into errors of the file.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        guard access(path, R_OK) == 0 else { throw SystemError("\(path) can't be read") }
        do {
            return try body()
        } catch let error as SQLiteError {
            throw BackupFailure.isNotWhole(path, error)
        } catch let error as SchemaError {
            throw BackupFailure.isForeign(path, error)
        }
    }
}

extension BackupFile {
    /// Restores the server in this file into a data folder in which no server runs. Before anything in the
    /// folder is replaced, a copy of the file is checked. Unused invites end, because some may have been used
    /// since the backup.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether a server that exists there is moved into a subfolder of the data folder.
    ///   - now: The time of the machine's clock.
    ///   - note: Records the action, while the folder is still locked.
    /// - Returns: The subfolder with the former server, or nil if there was none.
    /// - Throws: `BackupFailure`, `SystemError`, `FolderFailure`, the errors of `note`. Then the data folder
    ///   has its former content.
    package func restore(
        into folder: DataFolder, isReplacing: Bool, now: SharedInstant, note: () throws -> Void
    ) throws -> String? {
        guard folder.place.isInFolder else { throw BackupFailure.targetIsDatabase(folder) }
        // Throws if the file can't be read, before the folder is made.
        try reading {}
        try folder.create()
        let lock = try DataLock(folder)
        guard isReplacing || !folder.hasServer else { throw BackupFailure.wouldReplace(path, folder) }
        PartFolder.removeLeftovers(of: folder.store)
        let part = try PartFolder(of: folder.store)
        let keys = try reading {
            let backup = try Database(path: path, access: .readOnly)
            try backup.requireKnown(.server)
            try backup.copy(to: part.file)
            // Upgrades and checks the copy, ends the invites, and takes the server's keys out of it.
            return try BackupCopy(file: part.file).becomeStore(now: now)
                .map { try DeviceIdentity(pem: $0) }
        }
        let former = folder.hasServer ? try folder.moveServerAside(now: now) : nil
        var made: [String] = []
        do {
            for (path, key) in zip([folder.identity, folder.nextIdentity], keys) {
                guard try IdentityFile(path: path).create(key) else {
                    throw BackupFailure.keyExists(path)
                }
                made.append(path)
            }
            NewFile.transfer(part.file, toOwnerAt: folder.store)
            guard rename(part.file, folder.store) == 0 else {
                throw SystemError("\(folder.store) can't be made")
            }
            made += Database.files(of: folder.store)
            try FolderEntries(of: folder.store).makeDurable()
            // A running server needs a write-ahead log. The file can have one now, at its final path.
            try BackupCopy(file: folder.store).goLive()
            try note()
        } catch {
            for file in made { unlink(file) }
            if let former { folder.moveServerBack(from: former) }
            throw error
        }
        lock.letGo()
        return former
    }
}

extension DataFolder {
    /// Whether the folder contains a server, or a part of one.
    fileprivate var hasServer: Bool {
        hasStore || [identity, nextIdentity].contains { access($0, F_OK) == 0 }
    }

    /// Moves the server's files into a new subfolder, and returns the subfolder's path.
    fileprivate func moveServerAside(now: SharedInstant) throws(SystemError) -> String {
        let aside = "\(path)/replaced-\(now.milliseconds)"
        guard NewFile.makeFolder(aside) == 0 else { throw SystemError("\(aside) can't be made") }
        for file in Database.files(of: store) + [identity, nextIdentity] where access(file, F_OK) == 0 {
            let name = file.dropFirst(path.count + 1)
            guard rename(file, "\(aside)/\(name)") == 0 else {
                let error = SystemError("\(file) can't be moved to \(aside)")
                moveServerBack(from: aside)
                throw error
            }
        }
        return aside
    }

    /// Moves the files in a subfolder that `moveServerAside` made back, as far as that is possible.
    fileprivate func moveServerBack(from aside: String) {
        for file in Database.files(of: store) + [identity, nextIdentity] {
            _ = rename("\(aside)/\(file.dropFirst(path.count + 1))", file)
        }
        rmdir(aside)
    }
}

/// The reason why a backup can't be made or restored.
package enum BackupFailure: Error, Hashable, Sendable {
    /// A file exists at this path already.
    case exists(String)
    /// The copy for this path can't be written.
    case unwritable(String, SQLiteError)
    /// The store of the server in this folder has this problem.
    case storeIsDamaged(StoreProblem, DataFolder)
    /// The server's keys are no longer the ones in the copy.
    case keysChanged
    /// The folder's disk has `free` bytes left, but the backup takes `needed`.
    case noRoom(in: String, needed: Int64, free: Int64)
    /// The file at this path isn't a complete database.
    case isNotWhole(String, SQLiteError)
    /// The database at this path is not a store that this version can read.
    case isForeign(String, SchemaError)
    /// The backup at this path would replace the server in the folder.
    case wouldReplace(String, DataFolder)
    /// The store of the server in this folder is in a database, which has backups of its own.
    case isInDatabase(DataFolder)
    /// A backup can't be restored into the database with the store of the server in this folder.
    case targetIsDatabase(DataFolder)
    /// Another process made a server's key at this path meanwhile.
    case keyExists(String)
}
