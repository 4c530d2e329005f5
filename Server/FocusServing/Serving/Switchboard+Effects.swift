import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

extension Switchboard {
    /// Performs a session's effects, and the effects that follow from them.
    func perform(_ effects: [ServerEffect], for client: Client) {
        var effects = effects
        while !effects.isEmpty {
            var following: [ServerEffect] = []
            var hasSent = false
            for effect in effects {
                if case .send(let bytes) = effect {
                    send(bytes, to: client)
                    hasSent = true
                } else {
                    following += perform(effect, for: client)
                }
            }
            if hasSent { following += client.session.unsent(client.connection.unsentBytes) }
            effects = following
        }
        reckon(client)
    }

    private func send(_ bytes: [UInt8], to client: Client) {
        metrics.bytesSent += UInt64(bytes.count)
        client.connection.send(bytes)
    }

    private func perform(_ effect: ServerEffect, for client: Client) -> [ServerEffect] {
        let id = client.connection.id
        switch effect {
        case .send(let bytes): send(bytes, to: client)
        case .reading(true): client.connection.resumeReading()
        case .reading(false): client.connection.pauseReading()
        case .turn: wait(client)
        case .enrol(let enrol):
            if let refusal = refusalToEnrol(client) { return client.session.refuse(refusal) }
            storage?.write(.enrol(enrol, device: client.device, from: id))
        case .enter(let group): return come(client, to: group)
        case .entered:
            takeGroup(client)
            // The client has accepted the welcome, so it knows of the announced key.
            if let key = client.entered?.told.announcement(after: client.shownKey) {
                storage?.write(.told(client.device, of: key))
            }
        case .close(let closing): close(client, closing)
        case .merge(let segment):
            if write(.merge(segment), for: client) { client.uploads.append(clock.steady()) }
        case .ask(let number, let request): write(.group(number, request), for: client)
        case .read(let replica, let seq, let bytes):
            if let name = name(client) {
                storage?.read(.events(replica, from: seq, bytes: bytes, name, to: id))
            }
        case .chains(let replica, let seqs):
            if let name = name(client) { storage?.read(.chains(replica, at: seqs, name, to: id)) }
        case .readEpochs(let epochs, let bytes):
            if let name = name(client) { storage?.read(.epochs(epochs, bytes: bytes, name, to: id)) }
        }
        return []
    }

    /// Sends a member's request to the writer.
    ///
    /// - Returns: Whether the client is in a group.
    @discardableResult
    private func write(_ asked: MemberRequest.Asked, for client: Client) -> Bool {
        guard let group = client.group else { return false }
        storage?.write(
            .member(MemberRequest(asked, by: client.device, in: group, from: client.connection.id)))
        return true
    }

    /// Returns the name of a client's group; nil if it is in none, or the group isn't here any more.
    private func name(_ client: Client) -> GroupIndex.Name? {
        client.group.flatMap { groups[$0]?.log.name }
    }

    /// Welcomes a client in a group. From this moment on its session receives every commit.
    func enter(_ group: GroupID, _ client: Client) -> [ServerEffect] {
        // The session's information about the device may be out of date.
        guard rosters.admits(client.device, to: group) else { return client.session.refuse(.otherGroup) }
        // The group exists, but its log is damaged.
        guard let feed = groups[group] else { return client.session.refuse(.unreadableLog) }
        let isFirst = !isConnected(client.device, in: group)
        if isFirst { see(client.device, in: group, on: client) }
        let id = client.connection.id
        groups[group]?.enter(id)
        client.enter(group, told: pin)
        if !client.isNew { storage?.write(.endInvites(of: client.device)) }
        if isFirst, !isConnectedToAnotherServer(client.device, in: group) {
            announce(client.device, in: group)
        }
        guard let listing = groups[group]?.listing() else { return [] }
        let known = rosters.roster(of: group)
        let welcome = Welcome(
            group: group, vector: listing.vector, latest: feed.log.latest,
            roster: known.map { RosterEntry(device: $0.key, isRevoked: $0.revoked != nil) },
            epochs: listing.epochs,
            presence: known.filter { $0.revoked == nil }.map { presence(of: $0, in: group) },
            nextServerKey: pin.announcement(after: client.shownKey))
        welcomed(id, to: group, work: welcome.entries)
        return client.session.entered(welcome, listed: listing.listed)
    }

    /// Records that the device accepts the group. If the group only listed it, the device belongs to the
    /// group from now on.
    private func takeGroup(_ client: Client) {
        guard let group = client.group else { return }
        client.takeGroup()
        guard !rosters.isHome(group, of: client.device) else { return }
        storage?.write(.prove(client.device, group, from: client.connection.id))
    }

    /// Logs the reason, and closes the client's connection after all sent bytes have gone out.
    private func close(_ client: Client, _ closing: ServerCloseReason) {
        switch closing {
        case .clientLeft(let refusal):
            log.write(
                .debug, "client-left",
                ["device": .text(client.device.short), "reason": .text(refusal?.message ?? "goodbye")])
        case .left: log.write(.debug, "renewing", ["device": .text(client.device.short)])
        case .refused(let refusal):
            metrics.refused(refusal.code)
            log.write(
                .info, "refused",
                [
                    "device": .text(client.device.short), "code": "\(refusal.code.rawValue)",
                    "reason": .text(refusal.message),
                ])
        }
        endCount(of: client)
        client.connection.close()
    }

    /// Whether a device has a connection in the group.
    func isConnected(_ device: Digest, in group: GroupID) -> Bool {
        known.all(of: device).contains { clients[$0]?.group == group }
    }

    private func presence(of device: StoredDevice, in group: GroupID) -> Presence {
        Presence(
            device: device.key,
            isConnected: isConnectedToAnotherServer(device) || isConnected(device.key, in: group),
            lastSeen: device.lastSeen)
    }

    /// Whether a device is connected to another server that shares the store, by the last roster read. A
    /// revoked device loses its connections to all servers.
    func isConnectedToAnotherServer(_ device: StoredDevice) -> Bool {
        device.revoked == nil && device.server.map { $0 != number } ?? false
    }

    /// Whether the device with this key on the group's roster is connected to another server.
    func isConnectedToAnotherServer(_ device: Digest, in group: GroupID) -> Bool {
        rosters.device(device, in: group).map(isConnectedToAnotherServer) ?? false
    }

    /// Tells the group that a device connected or disconnected.
    func announce(_ device: Digest, in group: GroupID) {
        guard let known = rosters.device(device, in: group) else { return }
        let change = presence(of: known, in: group)
        for client in others(in: group) where client.device != device {
            perform(client.session.presence([change]), for: client)
        }
    }

    /// Returns the connections of a group in the order in which they opened, without `connection`.
    func others(in group: GroupID, but connection: ConnectionID? = nil) -> [Client] {
        (groups[group]?.connections ?? []).compactMap { $0 == connection ? nil : clients[$0] }
    }
}

extension Welcome {
    /// The number of entries in the welcome's lists. Each takes about as much work as a message.
    fileprivate var entries: Int {
        vector.heads.count + roster.count + epochs.count + presence.count
    }
}
