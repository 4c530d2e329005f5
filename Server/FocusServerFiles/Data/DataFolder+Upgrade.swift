import FocusServerStore
package import SQLiteKit

extension DataFolder {
    /// Brings a store of an older version to this one's, before a command uses it. A server that runs may be the older
    /// version's, which knows nothing of the new form: then nothing is done.
    ///
    /// - Parameter say: is told of an upgrade, before anything else is done with the store.
    /// - Throws: `FolderFailure`, `FileFailure`; `SQLiteError`, `SchemaError`, `UpgradeError`.
    package func upgradeStore(_ say: (Upgrade) -> Void) throws {
        do {
            _ = try SQLiteServerStore(at: store, access: .readWrite)
        } catch let error as SchemaError where error.code == .older {
            guard !DataLock.isHeld(self) else { throw FolderFailure.isServedByOlder(self, error) }
            let lock = try DataLock(self)
            try upgradeStore(holding: lock, say)
            lock.letGo()
        }
    }

    /// The same, for who has the lock.
    package func upgradeStore(holding lock: borrowing DataLock, _ say: (Upgrade) -> Void) throws {
        let opened = try SQLiteServerStore(at: store, access: .upgrading(keepsCopy: true))
        guard let upgrade = opened.upgrade else { return }
        // Where root has made them.
        for file in Database.files(of: store) + [upgrade.copy] { takeOver(file) }
        say(upgrade)
    }
}
