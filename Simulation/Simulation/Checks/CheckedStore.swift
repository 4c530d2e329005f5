import FocusCore
import FocusServerStore
import FocusSync
import SQLiteKit

/// Reads a server's store for the checks. It has a connection of its own, which opens at the first use.
final class CheckedStore {
    /// The path of the store on a server's disk.
    static let path = "/focusd.db"

    private let disk: VirtualDisk
    private lazy var database = try? CheckedDatabase(disk)

    init(on disk: VirtualDisk) { self.disk = disk }

    /// Returns the existing groups, each with the number of its row and whether the operator limits its size.
    func groups() -> [GroupID: (number: Int64, isLimited: Bool)]? {
        read { database in
            var groups: [GroupID: (Int64, Bool)] = [:]
            try database.forEach(
                """
                SELECT number, id, event_quota IS NOT NULL OR byte_quota IS NOT NULL FROM groups
                WHERE deleted IS NULL
                """
            ) { row in
                var reader = ByteReader(row[1] as [UInt8])
                let group = GroupID(
                    high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self))
                groups[group] = (row[0], row[2])
            }
            return groups
        }
    }

    /// Returns the contents of a group.
    func contents(_ number: Int64) -> GroupContents? { read { try GroupContents($0, number) } }

    /// Returns the records of a group's epochs.
    func epochs(ofGroup number: Int64) -> [EpochID: GroupContents.Epoch]? {
        read { try GroupContents.epochs($0, number) }
    }

    /// Returns the number of events of each group, by the group's number.
    func sizes() -> [Int64: Int]? {
        read { database in
            var sizes: [Int64: Int] = [:]
            // `heads` has each replica's last seq without the events in `recent`.
            for query in [
                "SELECT group_number, sum(seq) FROM heads GROUP BY group_number",
                "SELECT group_number, sum(count) FROM recent GROUP BY group_number",
            ] {
                try database.forEach(query) { sizes[$0[0], default: 0] += $0[1] }
            }
            return sizes
        }
    }

    private func read<Value>(_ body: (borrowing Database) throws -> Value) -> Value? {
        database.flatMap { try? body($0.database) }
    }
}

/// Holds a `Database`, which can't be copied, for the lazy property.
private final class CheckedDatabase {
    let database: Database

    init(_ disk: VirtualDisk) throws {
        database = try Database(path: CheckedStore.path, on: .virtual(disk), access: .readOnly)
    }
}
