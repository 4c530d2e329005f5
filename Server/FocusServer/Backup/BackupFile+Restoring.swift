import CommandLineKit
import FocusSeal
import Glibc
import SQLiteKit

extension BackupFile {
    /// Puts the server of this file into a data folder in which none runs.
    ///
    /// Everything is checked first, in a copy. The invites that nobody had used are ended: some may have been used
    /// since the backup was made.
    ///
    /// - Parameters:
    ///   - isReplacing: whether a server that is there already is moved aside, into a folder of its own.
    ///   - now: in milliseconds since the Unix epoch.
    /// - Returns: the folder that the former server is in; nil where there was none.
    /// - Throws: `CommandFailure`; the data folder has what it had then.
    func restore(into folder: DataFolder, isReplacing: Bool, now: Int64) throws -> String? {
        try reading {}
        try folder.create()
        let lock = try DataLock(folder)
        guard isReplacing || !folder.hasServer else {
            throw CommandFailure(
                "There is a server in \(folder.path) already. This moves it aside first: "
                    + folder.command("restore \(ShellWord.quoted(path)) --replace"))
        }
        PartFolder.removeLeft(of: folder.store)
        let part = try PartFolder(of: folder.store)
        let keys = try reading {
            try Database(path: path, access: .readOnly).copy(to: part.file)
            return try BackupFile.prepare(part.file, now: now)
        }
        let former = folder.hasServer ? try folder.moveServerAside(now: now) : nil
        for (path, key) in zip([folder.identity, folder.nextIdentity], keys) {
            guard try IdentityFile(path: path).create(key) else {
                throw CommandFailure("\(path) was made meanwhile.")
            }
            folder.takeOver(path)
        }
        guard rename(part.file, folder.store) == 0 else {
            throw CommandFailure(errno: "\(folder.store) can't be made")
        }
        folder.takeOver(folder.store)
        try FolderNames(of: folder.store).makeDurable()
        try ServerStore(at: folder.store, access: .readWrite).database.useWriteAheadLog()
        try AuditLog(folder).write("backup-restored", [("file", path)])
        lock.letGo()
        return former
    }

    /// Makes a server's store of the copy of a backup, and gives the server's key, and the
    /// announced one where there is one.
    private static func prepare(_ copy: String, now: Int64) throws -> [DeviceIdentity] {
        // The backup itself stays as it is, so of its copy none is kept.
        let store = try ServerStore(at: copy, access: .upgrading(keepsCopy: false))
        let check = try StoreCheck(store)
        guard check.isWhole else {
            throw CommandFailure("It is damaged:\n  " + check.problems.joined(separator: "\n  "))
        }
        var keys: [DeviceIdentity] = []
        try store.database.forEach("SELECT pem FROM backup_identity ORDER BY rowid") {
            keys.append(try DeviceIdentity(pem: SecretBytes($0[0])))
        }
        guard !keys.isEmpty else { throw CommandFailure("The backup has no server's key in it.") }
        // The key isn't left in a page that is free.
        try store.database.execute("PRAGMA secure_delete=ON")
        try store.write {
            try store.database.execute("DROP TABLE backup_identity")
            try store.endInvites(now: now)
        }
        return keys
    }
}

extension DataFolder {
    /// Whether there is a server in it, or a part of one.
    fileprivate var hasServer: Bool { access(store, F_OK) == 0 || access(identity, F_OK) == 0 }

    /// Moves the server's files into a folder of their own, and says which.
    fileprivate func moveServerAside(now: Int64) throws(CommandFailure) -> String {
        let aside = "\(path)/replaced-\(now)"
        guard mkdir(aside, 0o700) == 0 else { throw CommandFailure(errno: "\(aside) can't be made") }
        for file in Database.files(of: store) + [identity, nextIdentity] where access(file, F_OK) == 0 {
            let name = file.dropFirst(path.count + 1)
            guard rename(file, "\(aside)/\(name)") == 0 else {
                throw CommandFailure(errno: "\(file) can't be moved to \(aside)")
            }
        }
        return aside
    }
}
