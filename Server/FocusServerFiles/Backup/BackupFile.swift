package import FocusCore
import FocusSeal
package import FocusServerStore
package import SQLiteKit
import SystemKit

/// A server in one file, as `focusd backup` writes it: its store as it stood at one moment, with the server's key, and
/// the announced one where there is one, in a table of their own, for the server's user alone.
package struct BackupFile {
    /// Where it is, or is to be.
    let path: String

    /// The file at this path, which may not be there yet.
    package init(path: String) { self.path = path }

    /// Writes the file, durably; it appears whole or not at all. The server may go on meanwhile, and waits for
    /// nothing. It is made in a folder of its own beside its place, for this user alone: it holds the server's key.
    ///
    /// SQLite's `VACUUM INTO` makes the copy: of one moment, whatever is written meanwhile, where the online backup
    /// API begins anew each time another process writes (<https://sqlite.org/lang_vacuum.html#vacuuminto>).
    ///
    /// - Parameter isChecked: whether all of it is read and checked before it counts.
    /// - Throws: `BackupFailure` where there is such a file already, or it can't be written, or is damaged as the store
    ///   is; `SystemError`, `FolderFailure`. Nothing is left then.
    package func write(_ folder: DataFolder, isChecked: Bool = false) throws {
        try publish(make(of: folder, isChecked: isChecked), of: folder)
    }

    /// What becomes the file: the copy, and the server's keys in it.
    struct Part: ~Copyable {
        fileprivate let folder: PartFolder
        fileprivate let keys: [Digest]
    }

    /// Makes the copy beside the file's place.
    func make(of folder: DataFolder, isChecked: Bool) throws -> Part {
        guard access(path, F_OK) != 0 else { throw BackupFailure.exists(path) }
        let keys = try folder.loadIdentities()
        guard folder.place.isInFolder else { throw BackupFailure.isInDatabase(folder) }
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        PartFolder.removeLeft(of: path)
        let part = try PartFolder(of: path)
        do {
            try BackupCopy(file: part.file).write(store, with: keys.map { try $0.pem() })
        } catch let error as SQLiteError {
            throw BackupFailure.unwritable(path, error)
        }
        if isChecked { try requireWhole(part.file, folder) }
        return Part(folder: part, keys: keys.map(\.keyHash))
    }

    /// Gives the copy its name, where the server still has the keys that are in it.
    func publish(_ part: consuming Part, of folder: DataFolder) throws {
        // The store's copy is of a later moment than the keys.
        guard try folder.loadIdentities().map(\.keyHash) == part.keys else {
            throw BackupFailure.keysChanged
        }
        NewFile.give(part.folder.file, toOwnerAt: path)
        // Linking, unlike renaming, leaves a file that another process made meanwhile.
        guard link(part.folder.file, path) == 0 else {
            guard errno == EEXIST else { throw SystemError("\(path) can't be made") }
            throw BackupFailure.exists(path)
        }
        try FolderNames(of: path).makeDurable()
    }

    private func requireWhole(_ part: String, _ folder: DataFolder) throws {
        let check = try StoreCheck(SQLiteServerStore(at: part, access: .readOnly))
        guard let problem = check.problems.first else { return }
        throw BackupFailure.storeIsDamaged(problem, folder)
    }

    /// What is wrong with the file's store.
    package func check() throws -> StoreCheck {
        try reading { try StoreCheck(SQLiteServerStore(at: path, access: .readOnly)) }
    }

    /// Runs `body`, which reads the file; what goes wrong is the file's fault.
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
    /// Puts the server of this file into a data folder in which none runs.
    ///
    /// Everything is checked first, in a copy. The invites that nobody had used are ended: some may have been used
    /// since the backup was made.
    ///
    /// - Parameters:
    ///   - isReplacing: whether a server that is there already is moved aside, into a folder of its own.
    ///   - now: what the machine's clock shows.
    ///   - note: writes down that it was done, before anybody else may have the folder.
    /// - Returns: the folder that the former server is in; nil where there was none.
    /// - Throws: `BackupFailure`, `SystemError`, `FolderFailure`; the data folder has what it had then.
    package func restore(
        into folder: DataFolder, isReplacing: Bool, now: SharedInstant, note: () throws -> Void
    ) throws -> String? {
        guard folder.place.isInFolder else { throw BackupFailure.isInDatabase(folder) }
        try reading {}
        try folder.create()
        let lock = try DataLock(folder)
        guard isReplacing || !folder.hasServer else { throw BackupFailure.wouldReplace(path, folder) }
        PartFolder.removeLeft(of: folder.store)
        let part = try PartFolder(of: folder.store)
        let keys = try reading {
            let backup = try Database(path: path, access: .readOnly)
            try backup.requireKnown(.server)
            try backup.copy(to: part.file)
            return try BackupCopy(file: part.file).becomeStore(now: now)
                .map { try DeviceIdentity(pem: $0) }
        }
        let former = folder.hasServer ? try folder.moveServerAside(now: now) : nil
        for (path, key) in zip([folder.identity, folder.nextIdentity], keys) {
            guard try IdentityFile(path: path).create(key) else {
                throw BackupFailure.keyExists(path)
            }
        }
        NewFile.give(part.file, toOwnerAt: folder.store)
        guard rename(part.file, folder.store) == 0 else {
            throw SystemError("\(folder.store) can't be made")
        }
        try FolderNames(of: folder.store).makeDurable()
        try BackupCopy(file: folder.store).goLive()
        try note()
        lock.letGo()
        return former
    }
}

extension DataFolder {
    /// Whether there is a server in it, or a part of one.
    fileprivate var hasServer: Bool {
        hasStore || [identity, nextIdentity].contains { access($0, F_OK) == 0 }
    }

    /// Moves the server's files into a folder of their own, and says which.
    fileprivate func moveServerAside(now: SharedInstant) throws(SystemError) -> String {
        let aside = "\(path)/replaced-\(now.milliseconds)"
        guard NewFile.makeFolder(aside) == 0 else { throw SystemError("\(aside) can't be made") }
        for file in Database.files(of: store) + [identity, nextIdentity] where access(file, F_OK) == 0 {
            let name = file.dropFirst(path.count + 1)
            guard rename(file, "\(aside)/\(name)") == 0 else {
                throw SystemError("\(file) can't be moved to \(aside)")
            }
        }
        return aside
    }
}

/// Why no backup can be made, or none be restored.
package enum BackupFailure: Error, Hashable, Sendable {
    /// There is a file at this path already.
    case exists(String)
    /// The copy for this path can't be written.
    case unwritable(String, SQLiteError)
    /// This is wrong with the store of the server in this folder.
    case storeIsDamaged(StoreProblem, DataFolder)
    /// The server's keys are others than those in the copy.
    case keysChanged
    /// There is so much too little room in the folder, in bytes.
    case noRoom(in: String, needed: Int64, free: Int64)
    /// The file at this path isn't a whole database.
    case isNotWhole(String, SQLiteError)
    /// The database at this path is no store that this version can read.
    case isForeign(String, SchemaError)
    /// The backup at this path would take the place of a server that is in the folder.
    case wouldReplace(String, DataFolder)
    /// The store of the server in this folder is in a database, which has backups of its own.
    case isInDatabase(DataFolder)
    /// The server's key was made at this path by another process meanwhile.
    case keyExists(String)
}
