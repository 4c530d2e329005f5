import FocusCore
import FocusSeal
package import FocusServerStore
import SQLiteKit
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
    ///   is; `FileFailure`, `FolderFailure`. Nothing is left then.
    package func write(_ folder: DataFolder, isChecked: Bool = false) throws {
        try keep(make(of: folder, isChecked: isChecked), of: folder)
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
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        PartFolder.removeLeft(of: path)
        let part = try PartFolder(of: path)
        do {
            try BackupCopy(file: part.file).write(store, with: keys.map { try $0.pem() })
        } catch let error as SQLiteError {
            throw BackupFailure.unwritable(path, error)
        }
        if isChecked { try requireWhole(part.file) }
        return Part(folder: part, keys: keys.map(\.keyHash))
    }

    /// Gives the copy its name, where the server still has the keys that are in it.
    func keep(_ part: consuming Part, of folder: DataFolder) throws {
        // The store's copy is of a later moment than the keys.
        guard try folder.loadIdentities().map(\.keyHash) == part.keys else {
            throw BackupFailure.keysChanged
        }
        // Linking, unlike renaming, leaves a file that another process made meanwhile.
        guard link(part.folder.file, path) == 0 else {
            guard errno == EEXIST else { throw FileFailure(.make, path) }
            throw BackupFailure.exists(path)
        }
        try FolderNames(of: path).makeDurable()
    }

    private func requireWhole(_ part: String) throws {
        let check = try StoreCheck(SQLiteServerStore(at: part, access: .readOnly))
        guard let problem = check.problems.first else { return }
        throw BackupFailure.storeIsDamaged(problem)
    }

    /// What is wrong with the file's store.
    package func check() throws -> StoreCheck {
        try reading { try StoreCheck(SQLiteServerStore(at: path, access: .readOlder)) }
    }

    /// Runs `body`, which reads the file; what goes wrong is the file's fault.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        guard access(path, R_OK) == 0 else { throw FileFailure(.read, path) }
        do {
            return try body()
        } catch let error as SQLiteError {
            throw BackupFailure.isNotWhole(path, error)
        } catch let error as SchemaError {
            throw BackupFailure.isForeign(path, error)
        }
    }
}
