import FocusCore
import FocusServerStore
import FocusSync

/// The groups as their connections see them: each group's log and roster, and which of its devices are
/// connected. It only decides: `ServerSessionDriver` tells the connections.
final class Groups {
    private let clients: Clients
    /// The servers that share the store; nil if it can't be shared.
    private let others: OtherServers?
    private let clock: ServerClock
    private var feeds: [GroupID: GroupFeed]
    /// The rosters of all groups. They are read from outside, and changed only here.
    private(set) var rosters = Rosters()
    /// The sightings that aren't stored yet. The switchboard decides by them when to store.
    private(set) var sightings = PendingLastSeen()

    init(
        _ logs: [GroupID: GroupIndex], devices: [StoredDevice], _ clients: Clients, _ others: OtherServers?,
        _ clock: ServerClock
    ) {
        self.clients = clients
        self.others = others
        self.clock = clock
        feeds = logs.mapValues(GroupFeed.init)
        for device in devices { rosters.put(device) }
    }

    var count: Int { feeds.count }

    /// The latest stamp in all logs.
    var latest: Stamp? { feeds.values.lazy.map(\.log.latest).max() }

    subscript(group: GroupID) -> GroupFeed? { feeds[group] }

    /// Returns the name of a client's group; nil if it is in none, or the group isn't here any more.
    func name(for client: Client) -> GroupIndex.Name? { client.group.flatMap { feeds[$0]?.log.name } }

    /// Returns the connections of a group in the order in which they opened.
    func clients(in group: GroupID) -> [Client] {
        (feeds[group]?.connections ?? []).compactMap { clients[$0] }
    }

    /// Returns a device's connection in the group; nil if it has none.
    func connection(of device: Digest, in group: GroupID) -> Client? {
        clients.all(of: device).first { $0.group == group }
    }

    // MARK: - Entering and leaving

    /// Adds a connection to a group.
    ///
    /// - Parameter told: The server's keys and addresses, as the welcome names them.
    /// - Returns: Whether the group has to be told that the device connected.
    func enter(_ group: GroupID, _ client: Client, told: ServerAnnouncement) -> Bool {
        let isFirst = connection(of: client.device, in: group) == nil
        if isFirst { recordSighting(of: client.device, in: group, on: client) }
        feeds[group]?.enter(client.connection.id)
        client.enter(group, told: told)
        return isFirst && !isConnectedToAnotherServer(client.device, in: group)
    }

    /// Removes a connection from the group that it had entered.
    ///
    /// - Returns: Whether the group has to be told that the device disconnected.
    func leave(_ entered: Client.Entered, _ client: Client) -> Bool {
        let group = entered.group
        feeds[group]?.leave(client.connection.id)
        // The device hasn't accepted the group. Next time it enters another group that lists its key.
        if !entered.isTaken { rosters.turnDown(group, client.device) }
        guard connection(of: client.device, in: group) == nil else { return false }
        recordSighting(of: client.device, in: group)
        return !isConnectedToAnotherServer(client.device, in: group)
    }

    /// Returns the welcome of a client that has entered a group.
    ///
    /// - Parameter announced: The server's keys and addresses.
    func welcome(_ client: Client, to feed: GroupFeed, _ announced: ServerAnnouncement) -> Welcome {
        let listing = feed.listing()
        let roster = rosters.roster(of: feed.group)
        return Welcome(
            group: feed.group, vector: listing.vector, latest: feed.log.latest,
            roster: roster.map { RosterEntry(device: $0.key, isRevoked: $0.revoked != nil) },
            epochs: listing.epochs,
            presence: roster.filter { $0.revoked == nil }.map(presence),
            nextServerKey: announced.pin.announcement(after: client.shownKey),
            addresses: announced.addresses)
    }

    // MARK: - Presence

    /// Returns whether a device of a group is connected; nil if it isn't on the group's roster.
    func presence(of device: Digest, in group: GroupID) -> Presence? {
        rosters.device(device, in: group).map(presence)
    }

    private func presence(of device: StoredDevice) -> Presence {
        Presence(
            device: device.key,
            isConnected: others?.areConnected(to: device) == true
                || connection(of: device.key, in: device.group) != nil,
            lastSeen: device.lastSeen)
    }

    /// Whether the device with this key on the group's roster is connected to another server.
    private func isConnectedToAnotherServer(_ device: Digest, in group: GroupID) -> Bool {
        guard let others, let device = rosters.device(device, in: group) else { return false }
        return others.areConnected(to: device)
    }

    /// Records that a device of a group connected or disconnected. Does nothing for a device that is only
    /// listed, because it may belong to another group.
    ///
    /// - Parameter connection: The device's new connection; nil if it disconnected.
    func recordSighting(of device: Digest, in group: GroupID, on connection: Client? = nil) {
        guard rosters.isHome(group, of: device) else { return }
        let now = clock.wall()
        rosters.setLastSeen(now, of: device, in: group)
        sightings.record(
            device, at: now, hasCome: connection != nil, program: connection?.session.clientProgram)
        if let others, let device = rosters.device(device, in: group) { others.recordSighting(of: device) }
    }

    /// Records all connected devices again, because other servers considered this server gone.
    func recordAllSightings() {
        for client in clients.all {
            if let group = client.group { recordSighting(of: client.device, in: group, on: client) }
        }
    }

    /// Has the writer read the rosters again that another server may have changed.
    func refreshRosters() { others?.refreshRosters(isAllNoted: !sightings.isDue, in: self) }

    /// Removes and returns all sightings, to be stored now.
    func takeSightings() -> [Digest: Sighting] {
        others?.sightingsAreNoted()
        return sightings.takeAll()
    }

    /// Adds sightings again that could not be stored.
    func restore(_ former: [Digest: Sighting]) { sightings.restore(former) }

    // MARK: - Changes in the store

    /// Adds a group, or replaces its log. Its connections have to enter it again.
    func replace(_ log: GroupIndex) { feeds[log.group] = GroupFeed(log) }

    /// Removes the roster of a group.
    func removeRoster(of group: GroupID) { rosters.remove(group) }

    /// Removes a group.
    func remove(_ group: GroupID) { feeds[group] = nil }

    /// Adds or replaces a device on its group's roster.
    ///
    /// - Returns: The former entry.
    func put(_ device: StoredDevice) -> StoredDevice? { rosters.put(device) }

    /// Updates when a device was last seen, if its roster entry is otherwise unchanged.
    ///
    /// - Returns: Whether the entry is otherwise unchanged.
    func updateLastSeen(of device: StoredDevice) -> Bool { rosters.updateLastSeen(of: device) }

    /// Removes the devices that are no longer in the store from the rosters.
    ///
    /// - Parameters:
    ///   - devices: All devices in the store.
    ///   - groups: All groups in the store.
    /// - Returns: The groups that are here, but no longer in the store.
    func forget(allBut devices: [StoredDevice], _ groups: Set<GroupID>) -> Set<GroupID> {
        rosters.forget(allBut: devices)
        return Set(feeds.keys).subtracting(groups)
    }
}
