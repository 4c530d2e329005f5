import FocusCore
import FocusServerStore
import FocusSync
import Foundation
import PostgreSQLKit
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

/// The kinds of store that a server can have. The tests of this folder check each kind against the
/// documentation of `ServerStore`.
enum StoreKind: CaseIterable, Sendable {
    case sqlite
    case postgreSQL

    /// All kinds. If LOCKSTEP_SHORT is set (by `scripts/test --short`), only SQLite, which needs no other
    /// program.
    static let allCases: [StoreKind] =
        ProcessInfo.processInfo.environment["LOCKSTEP_SHORT"] == nil ? [.sqlite, .postgreSQL] : [.sqlite]

    /// Makes an empty store.
    func make() throws -> StoreUnderTest {
        switch self {
        case .sqlite:
            let folder = try TemporaryFolder()
            let path = folder.file("focusd.db")
            _ = try SQLiteServerStore(at: path, access: .readWriteCreate)
            return try StoreUnderTest { [folder] in
                _ = folder
                return try SQLiteServerStore(at: path, access: .readWrite)
            } executing: { sql in
                let database = try Database(path: path, access: .readWrite)
                // A change that the tables' constraints forbid stands for damage.
                try database.execute("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON")
                try database.execute(sql)
            }
        case .postgreSQL:
            let address = try TestPostgreSQL.running.makeDatabase()
            _ = try PostgreSQLServerStore(at: address, access: .upgrading)
            return try StoreUnderTest {
                try PostgreSQLServerStore(at: address, access: .existing)
            } executing: {
                _ = try PostgreSQLConnection(to: address).rows($0)
            }
        }
    }
}

/// A store that a test fills, with other connections to it.
final class StoreUnderTest {
    /// Opens another connection to the same store, as another process does.
    let connect: () throws -> any ServerStore
    /// Changes the database from outside the program.
    let execute: (String) throws -> Void
    private(set) var store: any ServerStore

    init(
        _ connect: @escaping () throws -> any ServerStore,
        executing execute: @escaping (String) throws -> Void
    ) throws {
        self.connect = connect
        self.execute = execute
        store = try connect()
    }

    /// Replaces the connection by a new one, as after a restart.
    func reopen() throws { store = try connect() }

    func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result { try store.read(body) }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try store.write(body)
    }

    /// Adds a group with this id, and returns its number.
    func addGroup(_ low: UInt64) throws -> Int64 {
        try write { try $0.addGroup(GroupID(high: 0, low: low), now: instant(low)) }
    }
}

/// Returns the instant `milliseconds` milliseconds after the epoch.
func instant(_ milliseconds: some BinaryInteger) -> SharedInstant {
    SharedInstant(milliseconds: Int64(milliseconds))
}

/// The error that a test throws to roll something back.
struct Undone: Error, Equatable {}
