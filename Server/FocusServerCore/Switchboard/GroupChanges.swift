import FocusCore
import FocusServerStore
import FocusSync

/// Applies the store's changes of groups and their rosters: tells the connections, and ends connections that may
/// not stay.
final class GroupChanges {
    private let clients: Clients
    private let groups: Groups
    private let others: OtherServers?
    private let driver: ServerSessionDriver
    private let log: Log

    init(
        _ clients: Clients, _ groups: Groups, _ others: OtherServers?, _ driver: ServerSessionDriver, log: Log
    ) {
        self.clients = clients
        self.groups = groups
        self.others = others
        self.driver = driver
        self.log = log
    }

    // MARK: - Logs

    /// Announces a commit to its group.
    func commit(_ push: EncodedPush, _ head: ReplicaHead, in group: GroupID) {
        guard let feed = groups[group] else { return }
        feed.commit(push.replica, head)
        driver.announce(.commit(push), to: feed)
    }

    /// Announces an epoch's record to its group, except to the connection that brought it.
    func add(_ record: EpochRecord, in group: GroupID, from connection: ConnectionID?) {
        guard let feed = groups[group] else { return }
        feed.add(record)
        driver.announce(.epoch(EncodedEpochRecord(record), but: connection), to: feed)
    }

    /// Adds a new group.
    func add(_ log: GroupIndex) {
        // A group with this id may have just been deleted, with connections that are still in it.
        end(groups.clients(in: log.group))
        groups.removeRoster(of: log.group)
        groups.replace(log)
    }

    /// Replaces the log of a group that lost data in the store.
    func setBack(_ log: GroupIndex) {
        endConnections(of: [log.group])
        groups.replace(log)
    }

    /// Ends the connections of groups that lost data in the store. When the laptops reconnect, they upload
    /// the data again.
    private func endConnections(of lacking: [GroupID]) {
        let clients = lacking.flatMap { groups.clients(in: $0) }
        for (place, client) in clients.enumerated() {
            let refusal = Refusal(
                .internal, "the server's store lacks what it had",
                retry: .after(Clients.comeback(place, of: clients.count)))
            driver.perform(client.session.refuse(refusal), for: client)
        }
        for group in lacking { log.write(.error, "group-set-back", ["group": .text(group.short)]) }
    }

    /// Ends these connections, because their group was deleted.
    private func end(_ clients: [Client]) {
        let refusal = Refusal(.unknownDevice, "this device's group was deleted from the server")
        for client in clients { driver.perform(client.session.refuse(refusal), for: client) }
    }

    // MARK: - Rosters

    /// Applies a changed entry of a group's roster.
    ///
    /// - Returns: Whether the device is newly revoked: the caller passes it to `applyRevocations`.
    func apply(_ device: StoredDevice) -> Bool {
        let before = groups.put(device)
        if device.isProved, before?.isProved != true { recordHome(of: device) }
        if others?.refreshPresence(of: device, before, in: groups) == true {
            driver.announce(device.key, in: device.group)
        }
        guard device.revoked != nil else {
            if before == nil { log.write(.info, "device-added", ["device": .text(device.key.short)]) }
            return false
        }
        guard before?.revoked == nil else { return false }
        log.write(.info, "device-revoked", ["device": .text(device.key.short)])
        return true
    }

    /// Applies a group's roster that was read again. Most devices are unchanged and not connected here, so
    /// only their last sightings are updated.
    func applyRoster(_ devices: [StoredDevice]) {
        let changed = devices.filter { !clients.all(of: $0.key).isEmpty || !groups.updateLastSeen(of: $0) }
        applyRevocations(of: changed.filter(apply))
    }

    /// Applies all devices and groups in the store, after an operator's change.
    func reload(_ devices: [StoredDevice], _ groups: Set<GroupID>) {
        let lacking = self.groups.rosters.groups(lacking: devices).intersection(groups)
        applyRevocations(of: devices.filter(apply))
        forget(allBut: devices, groups)
        endConnections(of: lacking.sorted())
    }

    /// Records that a device belongs to this group from now on, and ends its connections in other groups.
    private func recordHome(of device: StoredDevice) {
        for client in clients.all(of: device.key) {
            if client.group == device.group {
                groups.recordSighting(of: device.key, in: device.group, on: client)
            } else if client.group != nil {
                driver.perform(client.session.refuse(.otherGroup), for: client)
            }
        }
    }

    /// Announces revoked devices to their groups, with one message per connection. Ends the connections of
    /// the revoked devices that belonged to their group.
    func applyRevocations(of devices: [StoredDevice]) {
        guard !devices.isEmpty else { return }
        let keys = Dictionary(grouping: devices, by: \.group).mapValues { $0.map(\.key) }
        for device in devices where device.isProved {
            for client in clients.all(of: device.key) {
                driver.perform(client.session.revoked(device.key), for: client)
            }
        }
        for group in devices.reduce(into: OrderedKeys<GroupID>(), { $0.append($1.group) }).all {
            for client in groups.clients(in: group) {
                driver.perform(client.session.revoked(keys[group] ?? []), for: client)
            }
        }
    }

    /// Forgets the devices and groups that are no longer in the store.
    private func forget(allBut devices: [StoredDevice], _ kept: Set<GroupID>) {
        let gone = groups.forget(allBut: devices, kept)
        end(
            clients.all.filter { client in
                guard let group = client.group else { return false }
                return gone.contains(group) || groups.rosters.device(client.device, in: group) == nil
            })
        for group in gone.sorted() {
            groups.remove(group)
            log.write(.info, "group-deleted", ["group": .text(group.short)])
        }
    }
}
