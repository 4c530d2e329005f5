package import FocusCore
package import FocusSeal
package import FocusServerStore
package import SQLiteKit
package import SystemKit

/// The folder that the server keeps everything in, for its user alone.
package struct DataFolder: Hashable, Sendable {
    /// Where it is, as it was named: from the working directory where it begins with no slash.
    package let path: String
    /// Whether it was named with `--data`, so that every command for it has to name it.
    package let isNamed: Bool
    /// Where the server's store is, as its settings say.
    package var place = StorePlace.folder

    /// The folder at this path, as `--data` names it.
    package init(path: String) {
        self.path = path
        isNamed = true
    }

    /// The folder where none is named: what systemd gives a service (`STATE_DIRECTORY`, /var/lib/focusd), else
    /// `focusd` in the XDG data folder.
    ///
    /// - Throws: `noHome` if neither the environment nor the system's list of users names a home folder.
    package init(environment: Environment) throws(FolderFailure) {
        isNamed = false
        // systemd lists several with colons between them; the unit asks for one.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            path = String(state)
        } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            path = "\(data)/focusd"
        } else if let home = environment.home {
            path = "\(home)/.local/share/focusd"
        } else {
            throw .noHome
        }
    }

    /// The folder that systemd gives the service.
    package static let ofService = "/var/lib/focusd"

    /// The folder with a server that a command is about: this one, or if no folder was named and this one has no server,
    /// the service's, as for who runs the command as root.
    ///
    /// - Parameter service: where the service's folder is.
    package func withServer(orAt service: String = ofService) -> DataFolder {
        let other = DataFolder(path: service)
        guard !isNamed, access(identity, F_OK) != 0, access(other.identity, F_OK) == 0 else { return self }
        return other
    }

    /// The SQLite file that is the store, where its place is the folder.
    package var store: String { "\(path)/focusd.db" }
    /// The server's key and certificate.
    package var identity: String { "\(path)/identity.pem" }
    /// The key that the server announces, and will have, where it is about to change its key.
    package var nextIdentity: String { "\(path)/identity.next.pem" }
    /// What the operator sets, where there is such a file.
    package var settings: String { "\(path)/focusd.conf" }
    /// What operators did.
    package var audit: String { "\(path)/audit.log" }
    /// Held by the server that runs.
    var lock: String { "\(path)/focusd.lock" }

    /// Makes the folder, and those above it, where they aren't there.
    package func create() throws(SystemError) { try NewFile.makeFolders(path) }

    /// Another connection to the server's store, wherever that is.
    ///
    /// - Throws: `SQLiteError`, `SchemaError`, `UpgradeError`; `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func openStore(_ access: StorePlace.Access) throws -> sending any ServerStore {
        try place.open(file: store, access)
    }

    /// Takes its server, which has the folder's lock, up among those that share its store; nil where that can't be shared.
    ///
    /// - Parameter now: what a clock that never jumps and counts sleep shows.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func joinServers(now: SteadyInstant) throws -> sending NewsReader? {
        try place.join(at: serverPlace, now: now)
    }

    /// Where its server is, as those that share its store call it: the machine's name, and the folder.
    package var serverPlace: String {
        // The lock keeps others from this folder, and a machine's name from being another's.
        var name = [CChar](repeating: 0, count: 256)
        let isNamed = gethostname(&name, name.count - 1) == 0
        let letters = isNamed ? name.prefix { $0 != 0 } : []
        let host = String(decoding: letters.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "\(host):\(realPath(path) ?? path)"
    }

    /// What to call its store: its path, or the database's address without a password.
    package var storeName: String { place.isInFolder ? path : place.text }

    /// The same folder, where `init` has made a server in it, as far as its files say.
    ///
    /// - Throws: `FolderFailure.noServer` if it hasn't, `noKey` or `noStore` if that is all that is missing; `SystemError`.
    package func initialised() throws -> DataFolder {
        let isKeyed = try has(identity)
        guard place.isInFolder else {
            if !isKeyed { throw FolderFailure.noServer(self) }
            return self
        }
        switch (isKeyed, try has(store)) {
        case (true, true): return self
        case (true, false): throw FolderFailure.noStore(self)
        case (false, true): throw FolderFailure.noKey(self)
        case (false, false): throw FolderFailure.noServer(self)
        }
    }

    private func has(_ file: String) throws(SystemError) -> Bool {
        guard access(file, F_OK) != 0 else { return true }
        guard errno == ENOENT else { throw SystemError("\(file) can't be opened") }
        return false
    }
}

extension DataFolder {
    /// The server's key and certificate.
    package func loadIdentity() throws -> DeviceIdentity {
        guard let identity = try IdentityFile(path: identity).load() else {
            throw FolderFailure.noKey(self)
        }
        return identity
    }

    /// The server's key, and the one that it announces where it does.
    func loadIdentities() throws -> [DeviceIdentity] {
        try [loadIdentity()] + (IdentityFile(path: nextIdentity).load().map { [$0] } ?? [])
    }
}

extension DataFolder {
    /// Brings a store of an older version to this one's, before a command uses it. A server that runs may be the older
    /// version's, which knows nothing of the new form: then nothing is done. A database may have others: only a server that
    /// starts brings one to this version.
    ///
    /// - Parameter say: is told of an upgrade, before anything else is done with the store.
    /// - Throws: `FolderFailure`, `SystemError`; `SQLiteError`, `SchemaError`, `UpgradeError`.
    package func upgradeStore(_ say: (Upgrade) -> Void) throws {
        guard place.isInFolder else { return }
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
        guard place.isInFolder else { return try place.upgradeDatabase() }
        let opened = try SQLiteServerStore(at: store, access: .upgrading(keepsCopy: true))
        guard let upgrade = opened.upgrade else { return }
        say(upgrade)
    }
}

/// Why a data folder can't be used.
package enum FolderFailure: Error, Hashable, Sendable {
    /// No folder is named, and there is no home folder for one.
    case noHome
    /// There is no server in it yet.
    case noServer(DataFolder)
    /// Another process serves from it.
    case isServed(DataFolder)
    /// A server of an older version serves from it, so that its store can't be brought to this one's version.
    case isServedByOlder(DataFolder, SchemaError)
    /// The file of its server's key is gone.
    case noKey(DataFolder)
    /// The file of its server's store is gone.
    case noStore(DataFolder)
}
