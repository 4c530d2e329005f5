package import FocusCore
import PostgreSQLKit
import SQLiteKit

extension StoreMove {
    /// Brings all that the store at one place has to another, where none is yet.
    ///
    /// - Parameters:
    ///   - file: where the store is, or is to be, whose place is the folder. A new one may only be used once this returns.
    ///   - now: what the machine's clock shows.
    ///   - say: is told after each group; where it throws, what was moved so far stays.
    /// - Returns: how much there was.
    /// - Throws: `MoveFailure`, `RowDamage`; what opening them throws, and `SQLiteError`, `PostgreSQLError`.
    package static func run(
        from source: StorePlace, to target: StorePlace, file: String, now: SharedInstant,
        say: (Progress) throws -> Void
    ) throws -> Progress {
        let from: any MovableStore
        switch source {
        case .folder: from = try SQLiteServerStore(at: file, access: .readWrite)
        case .database(let address):
            let store = try PostgreSQLServerStore(at: address, access: .existing)
            try store.requireUnused()
            from = store
        }
        let to: any MovableStore
        switch target {
        case .folder:
            guard !source.isInFolder else { throw MoveFailure.isNoMove }
            to = try SQLiteServerStore(at: file, access: .readWriteCreate)
        case .database(let address):
            let store = try PostgreSQLServerStore(at: address, access: .filling)
            try store.requireUnused()
            to = store
        }
        return try StoreMove(from: from, to: to).run(now: now, say: say)
    }
}
