package import FocusCore
import PostgreSQLKit
import SQLiteKit

extension StoreMove {
    /// Copies the whole store at one place to another place that has no store yet.
    ///
    /// - Parameters:
    ///   - file: The path of the store in the data folder, if that is the source or the target. As the target
    ///     it becomes a new file, which may be used only after this call has returned.
    ///   - now: The reading of the machine's clock.
    ///   - didMoveGroup: Called after each group. If it throws, the groups moved so far stay in the target.
    /// - Returns: The numbers of groups and events.
    /// - Throws: `MoveFailure`, `RowCorruption`; the errors of opening the stores, and `SQLiteError`,
    ///   `PostgreSQLError`.
    package static func run(
        from source: StoreLocation, to target: StoreLocation, file: String, now: SharedInstant,
        didMoveGroup: (Progress) throws -> Void
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
        return try StoreMove(from: from, to: to).run(now: now, didMoveGroup: didMoveGroup)
    }
}
