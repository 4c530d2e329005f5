import FocusCore
import FocusServerStore
import FocusSync
import Foundation
import ServerSupport
import TestSupport
import Testing

/// The stores that a server can have. Whatever kind is added, all tests of this folder hold it to what `ServerStore` says.
enum StoreKind: CaseIterable, Sendable {
    case sqlite
    case postgreSQL

    /// All of them; with LOCKSTEP_SHORT, as `scripts/test --short` sets it, the one that needs no other program.
    static let allCases: [StoreKind] =
        ProcessInfo.processInfo.environment["LOCKSTEP_SHORT"] == nil ? [.sqlite, .postgreSQL] : [.sqlite]

    /// An empty store.
    func make() throws -> StoreUnderTest {
        switch self {
        case .sqlite:
            let folder = try TemporaryFolder()
            let path = folder.file("focusd.db")
            _ = try SQLiteServerStore(at: path, access: .readWriteCreate)
            return try StoreUnderTest { [folder] in
                _ = folder
                return try SQLiteServerStore(at: path, access: .readWrite)
            }
        case .postgreSQL:
            let address = try TestPostgreSQL.running.makeDatabase()
            _ = try PostgreSQLServerStore(at: address, access: .upgrading)
            return try StoreUnderTest { try PostgreSQLServerStore(at: address, access: .existing) }
        }
    }
}

/// A store that a test fills, and other connections to it.
final class StoreUnderTest {
    /// Another connection to the same store, as another process has one.
    let connect: () throws -> any ServerStore
    private(set) var store: any ServerStore

    init(_ connect: @escaping () throws -> any ServerStore) throws {
        self.connect = connect
        store = try connect()
    }

    /// Lets go of the connection and makes another one, as after a restart.
    func reopen() throws { store = try connect() }

    func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result { try store.read(body) }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try store.write(body)
    }

    /// Adds a group with this id, and gives its number.
    func addGroup(_ low: UInt64) throws -> Int64 {
        try write { try $0.addGroup(GroupID(high: 0, low: low), now: instant(low)) }
    }
}

/// So many milliseconds after the epoch.
func instant(_ milliseconds: some BinaryInteger) -> SharedInstant {
    SharedInstant(milliseconds: Int64(milliseconds))
}

/// What a test throws to have something undone.
struct Undone: Error, Equatable {}
