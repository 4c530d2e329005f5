import FocusCore
import SQLiteKit

/// A server's store, as checks read it: by a connection of their own, which is opened once it is needed.
final class CheckedStore {
    private let disk: VirtualDisk
    private lazy var database = try? CheckedDatabase(disk)

    init(on disk: VirtualDisk) { self.disk = disk }

    /// Who belongs where; nil where that can't be read.
    func registry() -> Registry? { database.flatMap { try? Registry($0.database) } }

    /// Where the stored row begins that has this event of a replica.
    func rowBegins(_ replica: ReplicaID, at seq: UInt64, inGroup number: Int64?) -> UInt64? {
        guard let number else { return nil }
        return try? database?.database.first(
            """
            SELECT first_seq FROM segments WHERE group_number = ? AND replica = ? AND first_seq <= ?
            ORDER BY first_seq DESC LIMIT 1
            """, number, replica.rawValue, seq
        ) { $0[0] }
    }
}

private final class CheckedDatabase {
    let database: Database

    init(_ disk: VirtualDisk) throws {
        database = try Database(path: ServerMachine.path, on: .virtual(disk), access: .readOnly)
    }
}
