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

    /// Returns the groups, keys and invites; nil if they can't be read.
    func registry() -> Registry? { read { try Registry($0) } }

    /// Returns the existing groups, each with the number of its row and its quota.
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

    /// Returns the contents of a group.
    func account(_ number: Int64, _ quota: GroupQuota) -> GroupContents? {
        read { try GroupContents($0, number, quota) }
    }

    /// Returns the records of a group's epochs.
    func epochs(ofGroup number: Int64) -> [EpochID: GroupContents.Epoch]? {
        read { try GroupContents.epochs($0, number) }
    }

    /// Returns the numbers of replicas and epochs that each device has brought within the last quarter of the
    /// group's limits.
    func brought(toGroup number: Int64) -> [Digest: GroupContents.Brought]? {
        read { try GroupContents.brought($0, number) }
    }

    /// Returns the number of events of each group, by the group's number, and the bytes of their rows as they
    /// arrived.
    func sizes() -> [Int64: (events: Int, bytes: Int)]? {
        read { database in
            var sizes: [Int64: (events: Int, bytes: Int)] = [:]
            func add(_ number: Int64, _ events: Int, _ bytes: Int) {
                let before = sizes[number] ?? (0, 0)
                sizes[number] = (before.events + events, before.bytes + bytes)
            }
            try database.forEach("SELECT group_number, sum(seq), sum(bytes) FROM heads GROUP BY group_number")
            {
                add($0[0], $0[1], $0[2])
            }
            try database.forEach("SELECT group_number, count, length(packed) FROM recent WHERE count > 0") {
                add($0[0], $0[1], StoredSize.row(packed: $0[2]))
            }
            return sizes
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
