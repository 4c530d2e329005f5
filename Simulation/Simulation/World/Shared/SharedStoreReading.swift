import FocusColumns
import FocusCore
import FocusServerStore
import FocusSync

/// Reads from a shared store, which the simulator builds of a SQLite store and `SharedRows`. Most reads go to
/// `snapshot`. The servers, and the devices' connections to them, come from `rows`.
protocol SharedStoreReading: ServerSnapshot {
    /// The SQLite store's data.
    var snapshot: any ServerSnapshot { get }
    /// The rows that only a shared store has.
    var rows: SharedRows { get }
    /// The present time by the database's clock.
    var now: Int64 { get }
}

extension SharedStoreReading {
    func servers() throws -> [String] {
        rows.servers.keys.sorted().filter { rows.isRunning($0, at: now) }
            .compactMap { rows.servers[$0]?.place }
    }

    // MARK: Devices, and the servers that they are connected to

    /// Returns the devices, each with the number of the server that it is connected to.
    private func withServers(_ devices: [StoredDevice]) throws -> [StoredDevice] {
        guard !rows.connections.isEmpty else { return devices }
        let numbers = try snapshot.groupNumbers()
        return devices.map { device in
            var device = device
            device.server = numbers[device.group].flatMap {
                rows.connections[SharedRows.DeviceKey(group: $0, key: device.key)]?.server
            }
            return device
        }
    }

    func devices() throws -> [StoredDevice] { try withServers(snapshot.devices()) }

    func devices(of number: Int64) throws -> [StoredDevice] { try withServers(snapshot.devices(of: number)) }

    func device(_ key: Digest) throws -> StoredDevice? {
        try snapshot.device(key).flatMap { try withServers([$0]).first }
    }

    func device(_ key: Digest, in number: Int64) throws -> StoredDevice? {
        try snapshot.device(key, in: number).flatMap { try withServers([$0]).first }
    }

    // MARK: Other data

    func orders() throws -> StandingOrders { try snapshot.orders() }

    func greatestServed() throws -> SharedInstant { try snapshot.greatestServed() }

    func addresses() throws -> [String] { try snapshot.addresses() }

    func announcedKey() throws -> (key: Digest, since: SharedInstant)? { try snapshot.announcedKey() }

    func lastBackup() throws -> LastBackup { try snapshot.lastBackup() }

    func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [RowCorruption]) {
        try snapshot.readableLogs()
    }

    func log(of number: Int64) throws -> GroupIndex? { try snapshot.log(of: number) }

    func groupNumbers() throws -> [GroupID: Int64] { try snapshot.groupNumbers() }

    func number(of group: GroupID) throws -> Int64? { try snapshot.number(of: group) }

    func quotas() throws -> [GroupID: GroupQuota] { try snapshot.quotas() }

    func summaries() throws -> [GroupSummary] { try snapshot.summaries() }

    func isMember(_ key: Digest, of number: Int64) throws -> Bool {
        try snapshot.isMember(key, of: number)
    }

    func groups(listing key: Digest) throws -> [Int64] { try snapshot.groups(listing: key) }

    func rosterSize(of number: Int64) throws -> RosterSize { try snapshot.rosterSize(of: number) }

    func devices(toldOf key: Digest) throws -> Set<Digest> { try snapshot.devices(toldOf: key) }

    func deviceSummaries() throws -> [DeviceSummary] { try snapshot.deviceSummaries() }

    func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int) {
        try snapshot.brought(by: key, toGroup: number)
    }

    func invite(_ tokenHash: Digest) throws -> StoredInvite? { try snapshot.invite(tokenHash) }

    func openInvites(of number: Int64, now: SharedInstant) throws -> Int {
        try snapshot.openInvites(of: number, now: now)
    }

    func openInvites(madeBy key: Digest, now: SharedInstant) throws -> Int {
        try snapshot.openInvites(madeBy: key, now: now)
    }

    func openInvites(unawareOf key: Digest, now: SharedInstant) throws -> Int {
        try snapshot.openInvites(unawareOf: key, now: now)
    }

    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord? {
        try snapshot.epoch(epoch, in: number)
    }

    func bodyLength(of epoch: EpochID, in number: Int64) throws -> Int {
        try snapshot.bodyLength(of: epoch, in: number)
    }

    func lastSeq(of replica: ReplicaID, in number: Int64) throws -> UInt64 {
        try snapshot.lastSeq(of: replica, in: number)
    }

    func segment(of replica: ReplicaID, holding seq: UInt64, in number: Int64) throws -> Segment? {
        try snapshot.segment(of: replica, holding: seq, in: number)
    }

    func scanSegments(
        of replica: ReplicaID, after seq: UInt64, in number: Int64, _ body: ([UInt8]) -> Bool
    ) throws {
        try snapshot.scanSegments(of: replica, after: seq, in: number, body)
    }
}
