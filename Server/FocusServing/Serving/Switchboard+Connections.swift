package import FocusCore
package import FocusNet
import FocusSeal
import FocusServerStore
import FocusSync
package import FocusWriter

extension Switchboard {
    /// Opens a connection after its handshake. If its key isn't known and servers share the store, looks the
    /// key up first.
    ///
    /// - Parameter device: The hash of the key that the other side proved to hold.
    package func opened(_ connection: any ClientConnection, _ device: Digest) {
        // The handshake ended after `stop`: nothing would answer or close this connection later.
        guard !isStopping else {
            _ = clients.turnAway(connection.id)
            return connection.abort()
        }
        let standing = rosters.standing(of: device)
        if case .unknown = standing, number != nil { return lookUp(device, connection) }
        open(connection, device, standing)
    }

    /// Begins the session of a connection, with the rights that its key has.
    func open(_ connection: any ClientConnection, _ device: Digest, _ standing: ServerSession.Standing) {
        let now = clock.read()
        let session = ServerSession(
            device: device, standing: standing, program: Switchboard.program, limits: limits.session,
            now: now)
        let client = Client(
            connection, device: device, shownKey: connection.shownKey ?? pin.key, opened: now.steady,
            session: session)
        clients.add(client)
        metrics.shookHands()
        log.write(
            .debug, "connected", ["device": .text(device.short), "peer": .text(connection.peerDescription)])
        guard case .member(let group) = standing else { return makeWay(for: connection) }
        if let refusal = count(client, in: group) { perform(client.session.refuse(refusal), for: client) }
    }

    /// Passes received bytes to the connection's session.
    package func received(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        metrics.bytesReceived += UInt64(bytes.count)
        lookAtLine(of: client)
        // If other connections wait for their turn, this one waits too.
        perform(
            client.session.received(bytes[...], at: clock.read(), hasTurn: turns.isEmpty), for: client)
    }

    /// Tells the session that unsent bytes have gone out, after there were too many.
    package func writable(_ connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        lookAtLine(of: client)
        perform(client.session.unsent(client.connection.unsentBytes), for: client)
    }

    /// Removes a connection that is over.
    ///
    /// - Parameters:
    ///   - problem: A description of the error; nil if there was none.
    ///   - code: The code of the error.
    package func closed(
        _ connection: any ClientConnection, _ problem: String?, code: NetError.Code = .closed
    ) {
        doorway.leave(connection.id)
        // Drops the lookup, because strangers may come and go faster than a database answers.
        if unknownKeys.remove(connection.id) != nil { storage?.read(.ended(connection.id)) }
        guard let client = clients.remove(connection.id) else {
            // The connection never opened. A load balancer checks several times a minute whether the server
            // is there. Such a check isn't a failed handshake.
            guard code != .saidNothing else {
                return log.write(.debug, "said-nothing", ["peer": .text(connection.peerDescription)])
            }
            metrics.failedToShakeHands(code)
            return log.write(
                .debug, "handshake-failed",
                ["peer": .text(connection.peerDescription), "error": .text(problem ?? "closed")])
        }
        log.write(
            .debug, "disconnected", ["device": .text(client.device.short), "error": .text(problem ?? "none")])
        endCount(of: client)
        finishIfStopped()
    }

    /// Stops counting a connection that is over, or about to be.
    func endCount(of client: Client) {
        discount(client)
        leaveGroup(client)
    }

    /// Removes the connection from its group.
    private func leaveGroup(_ client: Client) {
        stopFollowing(client.connection.id)
        guard let entered = client.leaveGroup() else { return }
        let group = entered.group
        storage?.read(.ended(client.connection.id))
        groups[group]?.leave(client.connection.id)
        if !entered.isTaken { rosters.turnDown(group, client.device) }
        guard !isConnected(client.device, in: group) else { return }
        see(client.device, in: group)
        if !isConnectedToAnotherServer(client.device, in: group) { announce(client.device, in: group) }
    }

    /// Records all connected devices again, because other servers considered this server gone.
    func sayWhoIsConnected() {
        for client in clients.all {
            if let group = client.group { see(client.device, in: group, on: client) }
        }
    }

    /// Records that a device of a group connected or disconnected. Does nothing for a device that is only
    /// listed, because it may belong to another group.
    ///
    /// - Parameter connection: The device's new connection; nil if it disconnected.
    func see(_ device: Digest, in group: GroupID, on connection: Client? = nil) {
        guard rosters.isHome(group, of: device) else { return }
        let now = clock.wall()
        rosters.see(device, in: group, at: now)
        sightings.record(
            device, at: now, hasCome: connection != nil, program: connection?.session.clientProgram)
        if isConnectedToAnotherServer(device, in: group) { unsettled.insert(group) }
    }

    /// Has the writer read the rosters of unsettled groups again, once the store has the sightings. A server
    /// gets no news of its own changes, so it has to read them.
    func refreshRosters() {
        let numbers = unsettled.take(isAllNoted: !sightings.isDue).compactMap { groups[$0]?.log.number }
        if !numbers.isEmpty { storage?.write(.news(StoreNews(rosters: Set(numbers)), for: nil)) }
    }
}

extension Digest {
    /// The first 8 hexadecimal digits, which are enough to tell devices apart in the log.
    package var short: String { String(hexadecimal.prefix(8)) }
}
