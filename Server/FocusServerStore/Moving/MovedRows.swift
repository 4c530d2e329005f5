import FocusColumns
import FocusCore
import FocusSync

// What a store has of its server and of a group besides events, as it is brought to another store. Keys and hashes are bytes
// as they are stored: whoever moves them decides nothing by them. A group's number is its store's alone.

/// What is of no group.
struct MovedServer: Hashable {
    var greatestServed = SharedInstant.zero
    var revision: Int64 = 0
    var nextKey: [UInt8]?
    var nextKeySince: SharedInstant?
    var clockAcceptances: Int64 = 0
    var backup = LastBackup()
    var addresses: [String] = []
    /// Those that bring a group.
    var invites: [MovedInvite] = []
}

/// A group, with all that is counted in rows of its own but events.
struct MovedGroup: Hashable {
    let group: GroupID
    let created: SharedInstant
    let name: String?
    let quota: GroupQuota
    var devices: [MovedDevice] = []
    var brought: [MovedBrought] = []
    var epochs: [EpochRecord] = []
    var invites: [MovedInvite] = []
}

/// A row of a group's roster. No device is connected while a store is moved.
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
}

/// What a device has brought of the last quarter of what its group may have.
struct MovedBrought: Hashable {
    let key: [UInt8]
    let replicas: Int64
    let epochs: Int64
}

struct MovedInvite: Hashable {
    let tokenHash: [UInt8]
    let bundle: [UInt8]?
    let expires: SharedInstant
    let redeemedBy: [UInt8]?
    let nextKey: [UInt8]?
    let madeBy: [UInt8]?
    let ended: SharedInstant?
}

/// A store that can be moved, or moved to.
protocol MovableStore: ServerStore {
    /// As `read`.
    func viewing<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result
    /// As `write`.
    func changing<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result
    /// Makes sure that this is to be moved to, and that nobody else does: nothing is in it, or what an earlier try has left.
    func beginFilling() throws
}

/// What moving a store takes, besides what a server asks of it.
protocol MovableTransaction: ServerTransaction, SegmentSource {
    /// What is of no group.
    func movedServer() throws -> MovedServer
    /// A group without its events; nil where it isn't here.
    func movedGroup(_ number: Int64) throws -> MovedGroup?
    /// The heads of a group's replicas.
    func movedHeads(_ number: Int64) throws -> [ReplicaID: ReplicaHead]
    /// Adds a group that isn't there, without events, and gives its number.
    func add(_ group: MovedGroup) throws -> Int64
    /// Has what is of no group say this, after which the store can be served from.
    func finish(_ server: MovedServer) throws
    /// Waits until what was written is done, so that it is no longer in memory.
    func awaitWritten() throws
}
