import FocusCore
import FocusServerStore
import FocusSync
import SQLiteKit

/// A server's store, as checks read it: by a connection of their own, which is opened once it is needed.
final class CheckedStore {
    /// Where a server's disk has it.
    static let path = "/focusd.db"

    private let disk: VirtualDisk
    private lazy var database = try? CheckedDatabase(disk)

    init(on disk: VirtualDisk) { self.disk = disk }

    /// Who belongs where; nil where that can't be read.
    func registry() -> Registry? { read { try Registry($0) } }

    /// The groups that are there, each with its row and what the operator lets it have.
    func groups() -> [GroupID: (number: Int64, quota: GroupQuota)]? {
        read { database in
            var groups: [GroupID: (Int64, GroupQuota)] = [:]
            try database.forEach(
                "SELECT number, id, event_quota, byte_quota, device_quota FROM groups WHERE deleted IS NULL"
            ) { row in
                var reader = ByteReader(row[1] as [UInt8])
                let group = GroupID(
                    high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self))
                groups[group] = (row[0], GroupQuota(events: row[2], bytes: row[3], devices: row[4]))
            }
            return groups
        }
    }

    /// What a group has.
    func account(_ number: Int64, _ quota: GroupQuota) -> GroupAccount? {
        read { try GroupAccount($0, number, quota) }
    }

    /// The records of a group's epochs.
    func epochs(ofGroup number: Int64) -> [EpochID: GroupAccount.Epoch]? {
        read { try GroupAccount.epochs($0, number) }
    }

    /// What the store says that devices have brought of the last quarters.
    func brought(toGroup number: Int64) -> [Digest: GroupAccount.Brought]? {
        read { try GroupAccount.brought($0, number) }
    }

    /// The last row of events there is; 0 where there is none.
    func lastRow() -> Int64? { read { try $0.first("SELECT max(rowid) FROM segments") { $0[0] } ?? 0 } }

    /// What came after this row, by the numbers of groups: events, and what their rows take, in bytes.
    func rows(after last: Int64) -> [Int64: (events: Int, bytes: Int)]? {
        read { database in
            var rows: [Int64: (events: Int, bytes: Int)] = [:]
            try database.forEach(
                "SELECT group_number, count, length(packed) FROM segments WHERE rowid > ?", last
            ) { row in
                let before = rows[row[0]] ?? (0, 0)
                rows[row[0]] = (before.events + row[1], before.bytes + StoredSize.row(packed: row[2]))
            }
            return rows
        }
    }

    private func read<Value>(_ body: (borrowing Database) throws -> Value) -> Value? {
        database.flatMap { try? body($0.database) }
    }
}

private final class CheckedDatabase {
    let database: Database

    init(_ disk: VirtualDisk) throws {
        database = try Database(path: CheckedStore.path, on: .virtual(disk), access: .readOnly)
    }
}
