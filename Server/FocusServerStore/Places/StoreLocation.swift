package import FocusCore
package import PostgreSQLKit

/// The place of a server's store, from the setting `store`.
package enum StoreLocation: Hashable, Sendable {
    /// An SQLite file in the data folder.
    case folder
    /// A PostgreSQL database.
    case database(PostgreSQLAddress)

    /// Parses a place, as `allowed` describes; nil if the text is no place.
    package init?(_ text: String) {
        if text == StoreLocation.folderWord {
            self = .folder
        } else if let address = PostgreSQLAddress(text) {
            self = .database(address)
        } else {
            return nil
        }
    }

    private static let folderWord = "folder"

    /// The allowed texts, to be read after "must be".
    package static let allowed =
        "'\(folderWord)', or the address of a database, postgresql://USER@HOST/DATABASE, "
        + "with % codes for special characters"

    /// The place as text, with stars instead of a password.
    package var text: String {
        switch self {
        case .folder: StoreLocation.folderWord
        case .database(let address): address.shown
        }
    }

    /// Whether the address contains a password.
    package var hasPassword: Bool {
        switch self {
        case .folder: false
        case .database(let address): address.hasPassword
        }
    }

    /// Whether it is the data folder.
    package var isInFolder: Bool { self == .folder }
}

extension StoreLocation {
    /// The purpose of a connection to the store.
    package enum Access: Hashable, Sendable {
        /// Reading only. An SQLite file is opened read-only; for a database this is a promise of the caller.
        case reading
        /// Reading and writing.
        case writing
        /// Writing as a server's writer, with this number if several servers share the store.
        case serving(as: Int64?)
        /// Writing; creates the store if there is none, and upgrades it to this version.
        case making
    }

    /// Opens another connection to the store. All code opens a server's store with this function.
    ///
    /// - Parameter file: The path of the store if it is in the data folder.
    /// - Throws: `SQLiteError`, `SchemaError`, `UpgradeError`; `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func open(file: String, _ access: Access) throws -> sending any ServerStore {
        switch (self, access) {
        case (.folder, .reading): try SQLiteServerStore(at: file, access: .readOnly)
        case (.folder, .writing): try SQLiteServerStore(at: file, access: .readWrite)
        case (.folder, .serving): try SQLiteServerStore(at: file, access: .readWrite, hasLogRoom: true)
        case (.folder, .making): try SQLiteServerStore(at: file, access: .readWriteCreate)
        case (.database(let address), .making): try PostgreSQLServerStore(at: address, access: .upgrading)
        case (.database(let address), .serving(let server)):
            try PostgreSQLServerStore(at: address, access: .existing, server: server)
        case (.database(let address), _): try PostgreSQLServerStore(at: address, access: .existing)
        }
    }

    /// Registers a server as one of the servers that share its store. Returns nil if the store can't be
    /// shared.
    ///
    /// - Parameters:
    ///   - place: The server's machine and folder, as text. No two running servers have the same place.
    ///   - now: The reading of a clock that never jumps and counts sleep.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func join(at place: String, now: SteadyInstant) throws -> sending NewsReader? {
        guard case .database(let address) = self else { return nil }
        return try NewsReader(at: address, place: place, now: now)
    }

    /// Upgrades the database's tables to this version if they are of an older one. It creates no tables in an
    /// empty database.
    ///
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func upgradeDatabase() throws {
        guard case .database(let address) = self else { return }
        do {
            _ = try PostgreSQLServerStore(at: address, access: .existing)
        } catch let error as PostgreSQLSchemaError where error.code == .older && error.found > 0 {
            _ = try PostgreSQLServerStore(at: address, access: .upgrading)
        }
    }
}
