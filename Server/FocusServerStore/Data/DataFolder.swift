package import FocusCore
package import FocusSeal
package import SQLiteKit
package import SystemKit

/// The folder with all files of a server, accessible only to the server's user.
package struct DataFolder: Hashable, Sendable {
    /// The path as it was given. Without a leading slash it is relative to the working directory.
    package let path: String
    /// Whether the path was given with `--data`, so that the commands in messages must contain it too.
    package let isNamed: Bool
    /// Whether the path was given with `--data`, or by systemd.
    private let isChosen: Bool
    /// The place of the server's store, according to its settings.
    package var place = StoreLocation.folder

    /// The folder at this path, given with `--data`.
    package init(path: String) {
        self.path = path
        (isNamed, isChosen) = (true, true)
    }

    /// The default folder: the folder that systemd gives a service (`STATE_DIRECTORY`, /var/lib/focusd),
    /// otherwise `focusd` in the XDG data folder.
    ///
    /// - Throws: `noHome` if neither the environment nor the system's list of users names a home folder.
    package init(environment: Environment) throws(FolderFailure) {
        isNamed = false
        isChosen = environment["STATE_DIRECTORY"] != nil
        // systemd separates several folders with colons; the unit asks for one.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            path = String(state)
        } else if let data = environment.folder("XDG_DATA_HOME") {
            path = "\(data)/focusd"
        } else if let home = environment.home {
            path = "\(home)/.local/share/focusd"
        } else {
            throw .noHome
        }
    }

    /// The folder that systemd gives the service.
    package static let ofService = "/var/lib/focusd"

    /// Returns the folder of the server that a command is for: the service's folder if no folder was chosen
    /// and only the service's has a server, else this folder. So commands run by root find the service's
    /// server.
    ///
    /// - Parameter service: The path of the service's folder.
    package func withServer(orAt service: String = ofService) -> DataFolder {
        let other = DataFolder(path: service)
        guard !isChosen, access(identity, F_OK) != 0, access(other.identity, F_OK) == 0 else { return self }
        return other
    }

    /// Checks that a command that makes or starts a server uses the intended folder. Root may mean the
    /// service's server, but forget `--data`.
    ///
    /// - Parameter service: The path of the service's folder.
    /// - Throws: `FolderFailure.isAmbiguous` if no folder was chosen and only the service's has a server.
    package func requireIntended(besides service: String = ofService) throws(FolderFailure) {
        let other = withServer(orAt: service)
        guard other == self else { throw .isAmbiguous(self, other) }
    }

    /// The path of the store's SQLite file, if the store is in the folder.
    package var store: String { "\(path)/focusd.db" }
    /// The file of the server's key and certificate.
    package var identity: String { "\(path)/identity.pem" }
    /// The file of the announced key, which exists while a change of the server's key is under way.
    package var nextIdentity: String { "\(path)/identity.next.pem" }
    /// The file of the operator's settings, which may not exist.
    package var settings: String { "\(path)/focusd.conf" }
    /// The file in which operators' actions are recorded.
    package var audit: String { "\(path)/audit.log" }
    /// The file that the running server locks.
    var lock: String { "\(path)/focusd.lock" }

    /// Makes the folder and its parents if they don't exist.
    package func create() throws(SystemError) { try NewFile.makeFolders(path) }

    /// Opens a new connection to the server's store, in the folder or in a database.
    ///
    /// - Throws: `SQLiteError`, `SchemaError`, `UpgradeError`; `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func openStore(_ access: StoreLocation.Access) throws -> sending any ServerStore {
        try place.open(file: store, access)
    }

    /// Registers the folder's server among the servers that share its store. The server must have the
    /// folder's lock. Returns the reader of the servers' news, or nil if the store can't be shared.
    ///
    /// - Parameter now: A reading of a clock that never jumps and counts sleep.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func joinServers(now: SteadyInstant) throws -> sending NewsReader? {
        try place.join(at: serverPlace, now: now)
    }

    /// The folder's server among the servers that share its store: the machine's name, and the folder's path.
    package var serverPlace: String {
        // This name is unique: the lock admits one server to the folder, and machines have different names.
        var name = [CChar](repeating: 0, count: 256)
        // Whether the machine has a name. The property `isNamed` is about the folder.
        let isNamed = gethostname(&name, name.count - 1) == 0
        let letters = isNamed ? name.prefix { $0 != 0 } : []
        let host = String(decoding: letters.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "\(host):\(realPath(path) ?? path)"
    }

    /// The store's name in messages: the folder's path, or the database's address without a password.
    package var storeName: String { place.isInFolder ? path : place.text }

    /// Returns this folder if its files show that `init` has made a server in it.
    ///
    /// - Throws: `FolderFailure.noServer` if they don't; `noKey` or `noStore` if only the key's or the
    ///   store's file is missing; `SystemError`.
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

    /// Whether a file exists. Throws if that can't be determined.
    private func has(_ file: String) throws(SystemError) -> Bool {
        guard access(file, F_OK) != 0 else { return true }
        guard errno == ENOENT else { throw SystemError("\(file) can't be opened") }
        return false
    }
}

extension DataFolder {
    /// Returns the server's key and certificate.
    ///
    /// - Throws: `FolderFailure.noKey` if the file is missing; `SealError`.
    package func loadIdentity() throws -> DeviceIdentity {
        guard let identity = try IdentityFile(path: identity).load() else {
            throw FolderFailure.noKey(self)
        }
        return identity
    }

    /// Returns the server's key and, if there is one, the announced key.
    func loadIdentities() throws -> [DeviceIdentity] {
        try [loadIdentity()] + (IdentityFile(path: nextIdentity).load().map { [$0] } ?? [])
    }
}

extension DataFolder {
    /// Upgrades a store of an older version, before a command uses it. If a server runs on such a store,
    /// throws `isServedByOlder`: the server may not know the new version. Does nothing for a database, which
    /// other servers may use: only a starting server upgrades it.
    ///
    /// - Parameter say: Called after an upgrade, before anything else is done with the store.
    /// - Throws: `FolderFailure`, `SystemError`; `SQLiteError`, `SchemaError`, `UpgradeError`.
    package func upgradeStore(_ say: (SchemaUpgrade) -> Void) throws {
        guard place.isInFolder else { return }
        do {
            // This only checks the version: opening an older store fails.
            _ = try SQLiteServerStore(at: store, access: .readWrite)
        } catch let error as SchemaError where error.code == .older {
            guard !DataLock.isHeld(self) else { throw FolderFailure.isServedByOlder(self, error) }
            let lock = try DataLock(self)
            try upgradeStore(holding: lock, say)
            lock.letGo()
        }
    }

    /// Upgrades the store, with the folder's lock held by the caller. Upgrades a database too.
    package func upgradeStore(holding lock: borrowing DataLock, _ say: (SchemaUpgrade) -> Void) throws {
        guard place.isInFolder else { return try place.upgradeDatabase() }
        let opened = try SQLiteServerStore(at: store, access: .upgrading(keepsCopy: true))
        guard let upgrade = opened.upgrade else { return }
        say(upgrade)
    }
}

/// The reason why a data folder can't be used.
package enum FolderFailure: Error, Hashable, Sendable {
    /// No folder was given, and there is no home folder for one.
    case noHome
    /// The folder has no server yet.
    case noServer(DataFolder)
    /// No folder was given, and only the other folder, the service's, has a server.
    case isAmbiguous(DataFolder, DataFolder)
    /// Another process serves from the folder.
    case isServed(DataFolder)
    /// A server of an older version serves from the folder, so its store can't be upgraded.
    case isServedByOlder(DataFolder, SchemaError)
    /// The file of the server's key is missing.
    case noKey(DataFolder)
    /// The file of the server's store is missing.
    case noStore(DataFolder)
}
