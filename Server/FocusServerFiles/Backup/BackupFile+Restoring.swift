package import FocusCore
import FocusSeal
import FocusServerStore
import SQLiteKit
import SystemKit

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
    /// - Throws: `BackupFailure`, `FileFailure`, `FolderFailure`; the data folder has what it had then.
    package func restore(
        into folder: DataFolder, isReplacing: Bool, now: SharedInstant, note: () throws -> Void
    ) throws -> String? {
        try reading {}
        try folder.create()
        let lock = try DataLock(folder)
        guard isReplacing || !folder.hasServer else { throw BackupFailure.wouldReplace(path, folder) }
        PartFolder.removeLeft(of: folder.store)
        let part = try PartFolder(of: folder.store)
        let keys = try reading {
            try Database(path: path, access: .readOnly).copy(to: part.file)
            return try BackupCopy(file: part.file).becomeStore(now: now)
                .map { try DeviceIdentity(pem: $0) }
        }
        let former = folder.hasServer ? try folder.moveServerAside(now: now) : nil
        for (path, key) in zip([folder.identity, folder.nextIdentity], keys) {
            guard try IdentityFile(path: path).create(key) else {
                throw BackupFailure.keyExists(path)
            }
            folder.takeOver(path)
        }
        guard rename(part.file, folder.store) == 0 else {
            throw FileFailure(.make, folder.store)
        }
        folder.takeOver(folder.store)
        try FolderNames(of: folder.store).makeDurable()
        try BackupCopy(file: folder.store).goLive()
        try note()
        lock.letGo()
        return former
    }
}

extension DataFolder {
    /// Whether there is a server in it, or a part of one.
    fileprivate var hasServer: Bool { access(store, F_OK) == 0 || access(identity, F_OK) == 0 }

    /// Moves the server's files into a folder of their own, and says which.
    fileprivate func moveServerAside(now: SharedInstant) throws(FileFailure) -> String {
        let aside = "\(path)/replaced-\(now.milliseconds)"
        guard mkdir(aside, 0o700) == 0 else { throw FileFailure(.make, aside) }
        for file in Database.files(of: store) + [identity, nextIdentity] where access(file, F_OK) == 0 {
            let name = file.dropFirst(path.count + 1)
            guard rename(file, "\(aside)/\(name)") == 0 else {
                throw FileFailure(.move(to: aside), file)
            }
        }
        return aside
    }
}
