import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit
import SQLiteKit

// The rows of a server and of a group, without events, while a store is moved to another. `ServerSchema`
// explains the columns. Keys and hashes are plain bytes, because the move doesn't interpret them. A group's
// number is valid only in its own store.

/// The data that belongs to no group.
struct ServerRows: Hashable {
    var greatestServed = SharedInstant.zero
    var revision: Int64 = 0
    var nextKey: [UInt8]?
    var nextKeySince: SharedInstant?
    var clockAcceptances: Int64 = 0
    var backup = LastBackup()
    var addresses: [String] = []
    /// The invites that let a device bring a group.
    var invites: [MovedInvite] = []

    static let selection =
        "SELECT greatest_served, revision, next_key, next_key_since, clock_acceptances FROM server"

    /// Reads the row of `selection`.
    mutating func read(_ row: borrowing some MovedRow & ~Copyable) {
        greatestServed = row[column: 0]
        revision = row[column: 1]
        nextKey = row[column: 2]
        nextKeySince = row[column: 3]
        clockAcceptances = row[column: 4]
    }

    static let update = """
        UPDATE server SET greatest_served = $1, revision = $2, next_key = $3, next_key_since = $4,
            clock_acceptances = $5, backup_time = $6, backup_file = $7, backup_problem = $8
        """
}

/// A group with its roster, its epochs and its invites, without events.
struct GroupRows: Hashable {
    let group: GroupID
    let created: SharedInstant
    let name: String?
    let quota: GroupQuota
    var devices: [MovedDevice] = []
    var brought: [MovedContribution] = []
    var epochs: [EpochRecord] = []
    var invites: [MovedInvite] = []

    static let selection = """
        SELECT id, created, name, event_quota, byte_quota, device_quota FROM groups
        WHERE number = $1 AND deleted IS NULL
        """

    init(_ group: GroupID, _ row: borrowing some MovedRow & ~Copyable) {
        self.group = group
        created = row[column: 1]
        name = (row[column: 2] as String?)?.withoutZeros
        quota = GroupQuota(events: row[column: 3], bytes: row[column: 4], devices: row[column: 5])
    }

    static let epochSelection =
        "SELECT epoch, predecessor, body FROM epochs WHERE group_number = $1 ORDER BY epoch"

    /// Adds the epoch record in a row of `epochSelection`.
    mutating func addEpoch(_ row: borrowing some MovedRow & ~Copyable) {
        epochs.append(
            EpochRecord(epoch: row[column: 0], predecessor: row[column: 1], body: row[column: 2]))
    }
}

/// A row of the table `devices`, without the connection: no device is connected while a store is moved.
struct MovedDevice: Hashable {
    let key: [UInt8]
    let isProved: Bool
    let enrolled: SharedInstant
    let lastSeen: SharedInstant
    let revoked: SharedInstant?
    let name: String?
    let program: String?
    let events: Int64
    let bytes: Int64
    let toldKey: [UInt8]?

    private static let columns =
        "key, proved, enrolled, last_seen, revoked, name, program, events, bytes, told_key"

    static let selection = "SELECT \(columns) FROM devices WHERE group_number = $1 ORDER BY key"

    static let insertion = """
        INSERT INTO devices (group_number, \(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """

    init(_ row: borrowing some MovedRow & ~Copyable) {
        key = row[column: 0]
        isProved = row[column: 1]
        enrolled = row[column: 2]
        lastSeen = row[column: 3]
        revoked = row[column: 4]
        name = (row[column: 5] as String?)?.withoutZeros
        program = (row[column: 6] as String?)?.withoutZeros
        events = row[column: 7]
        bytes = row[column: 8]
        toldKey = row[column: 9]
    }
}

/// A row of the table `brought`: the numbers of replicas and epochs that a device has added to the last
/// quarter of its group's limits.
struct MovedContribution: Hashable {
    let key: [UInt8]
    let replicas: Int64
    let epochs: Int64

    private static let columns = "key, replicas, epochs"

    static let selection = "SELECT \(columns) FROM brought WHERE group_number = $1 ORDER BY key"

    static let insertion = "INSERT INTO brought (group_number, \(columns)) VALUES ($1, $2, $3, $4)"

    init(_ row: borrowing some MovedRow & ~Copyable) {
        key = row[column: 0]
        replicas = row[column: 1]
        epochs = row[column: 2]
    }
}

/// A row of the table `invites`.
struct MovedInvite: Hashable {
    let tokenHash: [UInt8]
    let bundle: [UInt8]?
    let expires: SharedInstant
    let redeemedBy: [UInt8]?
    let nextKey: [UInt8]?
    let madeBy: [UInt8]?
    let ended: SharedInstant?

    private static let columns = "token_hash, bundle, expires, redeemed_by, next_key, made_by, ended"

    /// Returns the statement that selects the invites with the group number `$1`, which may be NULL.
    ///
    /// - Parameter condition: The database's operator for an equality under which NULL equals NULL.
    static func selection(where condition: String) -> String {
        "SELECT \(columns) FROM invites WHERE group_number \(condition) $1 ORDER BY token_hash"
    }

    static let insertion =
        "INSERT INTO invites (group_number, \(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"

    init(_ row: borrowing some MovedRow & ~Copyable) {
        tokenHash = row[column: 0]
        bundle = row[column: 1]
        expires = row[column: 2]
        redeemedBy = row[column: 3]
        nextKey = row[column: 4]
        madeBy = row[column: 5]
        ended = row[column: 6]
    }
}

/// A row of either database, with columns of types that both can read. Both databases take `$1` for a
/// statement's first value.
protocol MovedRow: ~Copyable {
    subscript<Value: SQLiteValue & PostgreSQLValue>(column column: Int32) -> Value { get }
}

extension Row: MovedRow {
    subscript<Value: SQLiteValue & PostgreSQLValue>(column column: Int32) -> Value { self[column] }
}

extension PostgreSQLRow: MovedRow {
    subscript<Value: SQLiteValue & PostgreSQLValue>(column column: Int32) -> Value { self[Int(column)] }
}

/// A store that can be the source or the target of a move.
protocol MovableStore: ServerStore {
    /// As `read`, with the methods of a move.
    func readForMove<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result
    /// As `write`, with the methods of a move.
    func writeForMove<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result
    /// Checks that this store can be the target of a move: it is empty, or filled by an earlier attempt.
    /// Marks it, so that nobody serves from it or fills it in another way.
    ///
    /// - Throws: `MoveFailure.hasContent` if it has other content; the database's errors.
    func beginFilling() throws
}

/// The methods that a move needs, besides the methods for a server.
protocol MovableTransaction: ServerTransaction, SegmentSource {
    /// The data that belongs to no group.
    func movedServer() throws -> ServerRows
    /// A group without its events, or nil if it isn't in the store.
    func movedGroup(_ number: Int64) throws -> GroupRows?
    /// The heads of a group's replicas.
    func movedHeads(_ number: Int64) throws -> [ReplicaID: ReplicaHead]
    /// Adds a group that isn't in the store yet, without events, and returns its number.
    func add(_ group: GroupRows) throws -> Int64
    /// Stores the data that belongs to no group. After this, a server can use the store.
    func finish(_ server: ServerRows) throws
    /// Waits until the database has executed all writes, so that they don't take memory any more.
    func awaitWritten() throws
}
