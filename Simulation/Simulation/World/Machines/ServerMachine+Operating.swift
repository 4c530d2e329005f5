import FocusCore
import FocusSeal
import FocusServerStore
import SQLiteKit
import TestSupport

/// A backup that the server made of itself, on a disk of its own.
struct ServerBackup {
    /// The disk with the backup as its only file.
    let disk: DiskImage
    /// The server's key, and the announced one if there is one.
    let keys: [Digest]

    /// The path of the backup.
    static let path = "/server.backup"
}

// Operators' commands. Each works on the store like another process.
extension ServerMachine {
    /// Replaces a group's quota.
    func replaceQuota(of group: GroupID, with quota: GroupQuota) throws {
        try operate { try $0.replaceQuota(of: group, with: quota) }
    }

    /// Gives a group and a device a name for the operator's lists, or removes both names if `name` is nil.
    func rename(_ group: GroupID, _ device: Digest, _ name: String?) throws {
        try operate { store in
            try store.setName(name, ofGroup: group)
            try store.setName(name, ofDevice: device)
        }
    }

    /// Deletes a group.
    ///
    /// - Parameter isCutShort: Whether the command ends before all rows are deleted. The server then deletes
    ///   the rest.
    /// - Returns: Whether the group was there.
    func delete(_ group: GroupID, isCutShort: Bool) throws -> Bool {
        var isDone = false
        try operate { isDone = try $0.deleteGroup(group, now: clock.shared) }
        guard isDone else { return false }
        forget(group)
        guard !isCutShort else { return true }
        var goesOn = true
        while goesOn { try operate { goesOn = try $0.deleteRemains() } }
        return true
    }

    /// Makes a backup in the running server's own way, and checks that it is whole.
    func makeBackup() throws {
        defer { _ = disk.remove(ServerBackup.path) }
        let keys = [key] + (nextKey.map { [$0] } ?? [])
        let store = try SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readWrite)
        try BackupCopy(file: ServerBackup.path, on: .virtual(disk))
            .write(store, with: keys.map { SecretBytes($0.bytes) })
        let check = try StoreCheck(
            SQLiteServerStore(at: ServerBackup.path, on: .virtual(disk), access: .readOnly))
        world.require(check.isWhole, "a backup of a server that runs is whole") { "\(check.problems)" }
        try store.write { try $0.noteBackup(ServerBackup.path, at: clock.shared) }
        guard disk.hasPower, let copy = disk.remove(ServerBackup.path) else { return }
        ownBackups.append(ServerBackup(disk: copy, keys: keys))
    }

    /// Stops the server, and makes a store of the backup on another disk. Doesn't start the server.
    func restore(_ backup: ServerBackup) throws {
        stop(losingPower: false)
        // The other disk has only the backup's file, which is removed at the end.
        replaceDisk(with: backup.disk)
        // That disk has room, and no power cut is planned for it.
        disk.isFull = false
        disk.cutPower(afterChanges: nil)
        // The machine runs only while the operator restores.
        disk.start()
        defer { disk.stopPrograms() }
        let copy = BackupCopy(file: ServerMachine.path, on: .virtual(disk))
        try Database(path: ServerBackup.path, on: .virtual(disk), access: .readOnly)
            .copy(to: ServerMachine.path)
        let now = clock.shared
        let keys = try copy.becomeStore(now: now).compactMap { Digest(bytes: $0.exposed()) }
        try copy.goLive()
        world.require(keys == backup.keys, "a backup has the server's keys") { "\(keys)" }
        (key, nextKey) = (backup.keys[0], backup.keys.dropFirst().first)
        let open = try openedToRead()?.read { try $0.openInvites(unawareOf: key, now: now) }
        world.require(open == 0, "no invite of a backup lets anybody in") { "\(open ?? -1) do" }
        _ = disk.remove(ServerBackup.path)
    }

    /// Announces the next key, unless one is announced already.
    func announce(_ next: Digest) throws {
        var isNew = false
        try operate { store in
            isNew = try store.announcedKey() == nil
            if isNew { try store.announceNextKey(next, now: clock.shared) }
        }
        if isNew { nextKey = next }
    }

    /// Changes over to the announced key, if all known laptops have been told or the operator is sure.
    ///
    /// - Returns: Whether it changed over.
    func finishKey(isSure: Bool) throws -> Bool {
        guard let next = nextKey else { return false }
        var isDone = false
        try operate { store in
            guard let change = try ServerKeyChange(store, present: key, now: clock.shared),
                change.next == next, isSure || change.uninformedDevices.isEmpty
            else { return }
            try store.announceNextKey(nil, now: clock.shared)
            isDone = true
        }
        guard isDone else { return false }
        (key, nextKey) = (next, nil)
        // Earlier copies hold a key that laptops no longer accept, so they are discarded.
        backups = []
        ownBackups = []
        return true
    }

    /// Withdraws the announced key.
    func cancelKey() throws {
        try operate { store in
            // Without a key, no time is stored.
            if try store.announcedKey() != nil { try store.announceNextKey(nil, now: 0) }
        }
        nextKey = nil
    }
}
