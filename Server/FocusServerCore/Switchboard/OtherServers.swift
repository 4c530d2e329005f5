import FocusCore
import FocusServerStore
import FocusSync

/// The other servers that share this server's store, as its connections see them. A server with a store of
/// its own has none.
final class OtherServers {
    /// A connection that waits for the lookup of its key.
    private struct UnknownKey {
        let connection: any ClientConnection
        let device: Digest
    }

    /// This server's number among them.
    private let number: Int64
    private let requests: StoreRequests
    /// Open connections with a key that is on no roster here. Nothing is read from them yet.
    private var unknownKeys: [ConnectionID: UnknownKey] = [:]
    /// The groups with logs that this server keeps reading.
    private var followed = FollowedGroups()
    /// The groups in which a device connected or disconnected here while its roster says that it is connected
    /// to another server. Their rosters are read again after the sightings are stored: these aren't sent to
    /// the store yet.
    private var unnoted: Set<GroupID> = []
    /// The same for sightings that were sent to the store.
    private var noted: Set<GroupID> = []

    init(_ number: Int64, _ requests: StoreRequests) {
        self.number = number
        self.requests = requests
    }

    // MARK: - Presence

    /// Whether a device is connected to another server, by the last roster read. A revoked device loses its
    /// connections to all servers.
    func areConnected(to device: StoredDevice) -> Bool {
        device.revoked == nil && device.server.map { $0 != number } ?? false
    }

    /// Records that a device connected or disconnected here.
    func recordSighting(of device: StoredDevice) {
        if areConnected(to: device) { unnoted.insert(device.group) }
    }

    /// Records that all sightings are sent to the store now.
    func sightingsAreNoted() {
        noted.formUnion(unnoted)
        unnoted = []
    }

    /// Has the writer read rosters again, once the store has the sightings. A server gets no news of its own
    /// changes, so it has to read them.
    ///
    /// - Parameter isAllNoted: Whether no sightings wait to be stored.
    func refreshRosters(isAllNoted: Bool, in groups: Groups) {
        if isAllNoted { sightingsAreNoted() }
        let numbers = exchange(&noted, with: []).compactMap { groups[$0]?.log.number }
        if !numbers.isEmpty { requests.write(.shared(.news(StoreNews(rosters: Set(numbers)), for: nil))) }
    }

    /// Updates the presence of a device that may have connected to another server, or disconnected from it.
    ///
    /// - Parameter before: The former entry of the device on its group's roster.
    /// - Returns: Whether the group has to be told.
    func refreshPresence(of device: StoredDevice, _ before: StoredDevice?, in groups: Groups) -> Bool {
        guard let here = groups.connection(of: device.key, in: device.group) else {
            return areConnected(to: device) != before.map(areConnected) ?? false
        }
        guard device.revoked == nil else { return false }
        // The device left the other server and is still connected here.
        if device.server == nil { groups.recordSighting(of: device.key, in: device.group, on: here) }
        recordSighting(of: device)
        return false
    }

    // MARK: - The lookup of unknown keys

    // Another server may have enrolled a device a moment ago, and the news hasn't arrived here yet. So a key is
    // looked up before it counts as unknown. The reader does that, because strangers are many and the writer
    // shouldn't work for them.

    /// Looks up a key that is on no roster here. Meanwhile nothing is read from its connection.
    func lookUp(_ device: Digest, on connection: any ClientConnection) {
        connection.pauseReading()
        unknownKeys[connection.id] = UnknownKey(connection: connection, device: device)
        requests.read(.groups(listing: device, to: connection.id))
    }

    /// Handles the result of a lookup: lets the writer load the groups, because this server may lack them.
    ///
    /// - Parameter numbers: The numbers of the groups that list the key.
    func found(_ numbers: [Int64], for connection: ConnectionID, _ driver: ServerSessionDriver) {
        guard unknownKeys[connection] != nil else { return }
        guard !numbers.isEmpty else { return open(connection, driver) }
        requests.write(.shared(.news(StoreNews(logs: Set(numbers), rosters: Set(numbers)), for: connection)))
    }

    /// Aborts a connection. A failed lookup doesn't show that the device is unknown, so there is no refusal.
    func lookupFailed(for connection: ConnectionID) {
        unknownKeys.removeValue(forKey: connection)?.connection.abort()
    }

    /// Drops the lookup for a connection that is over, because strangers may come and go faster than a
    /// database answers.
    func dropLookup(for connection: ConnectionID) {
        if unknownKeys.removeValue(forKey: connection) != nil { requests.read(.ended(connection)) }
    }

    /// Aborts all connections with a key that is being looked up, the oldest first.
    func abortLookups() {
        let waiting = exchange(&unknownKeys, with: [:]).sorted { $0.key < $1.key }
        for key in waiting.map(\.value) { key.connection.abort() }
    }

    /// Continues with a connection, because the writer has read the changes that it waited for.
    func caughtUp(_ connection: ConnectionID, _ driver: ServerSessionDriver) {
        guard let group = followed.knows(for: connection) else { return open(connection, driver) }
        driver.enter(group, on: connection)
    }

    /// Opens a connection, because all groups that list its key in the store are loaded.
    private func open(_ connection: ConnectionID, _ driver: ServerSessionDriver) {
        guard let waiting = unknownKeys.removeValue(forKey: connection) else { return }
        driver.open(waiting.connection, waiting.device)
        waiting.connection.resumeReading()
    }

    // MARK: - Following groups

    /// Lets a connection enter a group: at once if all changes of other servers are read, or else later
    /// (`caughtUp`).
    ///
    /// - Returns: Whether it may enter at once.
    func follow(_ group: GroupID, for connection: ConnectionID) -> Bool {
        if followed.comes(connection, to: group) { return true }
        requests.write(.shared(.follow(group, for: connection)))
        return false
    }

    /// Removes a connection that is over, or about to be, from its followed group.
    func stopFollowing(_ connection: ConnectionID) {
        if let group = followed.leaves(connection) { requests.write(.shared(.unfollow(group))) }
    }

    // MARK: - Notices

    /// Handles a notice about other servers.
    func handle(_ notice: NewsPoller.Notice, _ groups: Groups, _ driver: ServerSessionDriver) {
        switch notice {
        case .wasGone: groups.recordAllSightings()
        case .read(let delays): driver.metrics.readNews(after: delays)
        case .servers(let count): driver.metrics.servers = count
        // The switchboard reads the orders, and `Server.handle` stops the server.
        case .orders, .outdated: break
        }
    }
}
