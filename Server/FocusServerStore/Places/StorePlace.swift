package import FocusCore
package import PostgreSQLKit

/// Where a server's store is: what the setting `store` says.
package enum StorePlace: Hashable, Sendable {
    /// In the data folder, as a file of SQLite's.
    case folder
    /// In a database of PostgreSQL's.
    case database(PostgreSQLAddress)

    /// The place that a text says, as `text` has it; nil where it says none.
    package init?(_ text: String) {
        if text == StorePlace.folderWord {
            self = .folder
        } else if let address = PostgreSQLAddress(text) {
            self = .database(address)
        } else {
            return nil
        }
    }

    private static let folderWord = "folder"

    /// What a place's text may be, to be read after "must be".
    package static let allowed =
        "'\(folderWord)', or the address of a database, postgresql://USER@HOST/DATABASE, "
        + "with % codes for what means something else there"

    /// The place as text, with stars in the place of a password.
    package var text: String {
        switch self {
        case .folder: StorePlace.folderWord
        case .database(let address): address.shown
        }
    }

    /// Whether a password stands in it.
    package var hasPassword: Bool {
        switch self {
        case .folder: false
        case .database(let address): address.hasPassword
        }
    }

    /// Whether it is the data folder.
    package var isInFolder: Bool { self == .folder }
}

extension StorePlace {
    /// What a connection to the store is for.
    package enum Access: Hashable, Sendable {
        /// It only reads. A database's does so by what it is asked.
        case reading
        case writing
        /// The same, for the writer of a server: of this number where several share the store.
        case serving(as: Int64?)
        /// As `writing`; the store is made where there is none, and brought to this version.
        case making
    }

    /// Another connection to the store: the one way to open a server's store, wherever it is.
    ///
    /// - Parameter file: where it is if it is in the data folder.
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

    /// Takes a server up among those that share its store; nil where that can't be shared.
    ///
    /// - Parameters:
    ///   - place: where the server is; no two are at one place at the same time.
    ///   - now: what a clock that never jumps and counts sleep shows.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package func join(at place: String, now: SteadyInstant) throws -> sending NewsReader? {
        guard case .database(let address) = self else { return nil }
        return try NewsReader(at: address, place: place, now: now)
    }

    /// Brings the database's tables to this version, where they are of an older one. What isn't there isn't made.
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
