package import FocusCore
package import FocusNet
import FocusSeal
import FocusServerStore
import FocusSync
package import FocusWriter

extension Switchboard {
    /// A connection can be used, whose other side proved to hold the key of this hash.
    package func opened(_ connection: any ClientConnection, _ device: Digest) {
        // Its handshake was under way; nobody would answer it any more, nor end it.
        guard !isStopping else {
            _ = clients.turnAway(connection.id)
            return connection.abort()
        }
        let standing = rosters.standing(of: device)
        if case .unknown = standing, number != nil { return lookUp(device, connection) }
        open(connection, device, standing)
    }

    /// The other side's key can do this much: its session begins.
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

    /// Bytes came.
    package func received(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        metrics.bytesReceived += UInt64(bytes.count)
        lookAtLine(of: client)
        // Where others wait for their turn, this one does too.
        perform(
            client.session.received(bytes[...], at: clock.read(), hasTurn: turns.isEmpty), for: client)
    }

    /// What was unsent has gone out, after there had been too much.
    package func writable(_ connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        lookAtLine(of: client)
        perform(client.session.unsent(client.connection.unsentBytes), for: client)
    }

    /// A connection is over; `problem` and its code say why, where something went wrong.
    package func closed(
        _ connection: any ClientConnection, _ problem: String?, code: NetError.Code = .closed
    ) {
        doorway.leave(connection.id)
        // Strangers come and go faster than a database may answer.
        if unknownKeys.remove(connection.id) != nil { storage?.read(.ended(connection.id)) }
        guard let client = clients.remove(connection.id) else {
            // It never opened. A balancer that looks whether the server is there does so many times a minute, and that is no
            // handshake that failed.
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

    /// The connection is over, or about to be.
    func endCount(of client: Client) {
        discount(client)
        leaveGroup(client)
    }

    /// The connection is in its group no longer.
    private func leaveGroup(_ client: Client) {
        stopFollowing(client.connection.id)
        guard let entered = client.leaveGroup() else { return }
        let group = entered.group
        storage?.read(.ended(client.connection.id))
        groups[group]?.leave(client.connection.id)
        if !entered.isTaken { rosters.turnDown(group, client.device) }
        guard !isConnected(client.device, in: group) else { return }
        see(client.device, in: group)
        if !isElsewhere(client.device, in: group) { announce(client.device, in: group) }
    }

    /// Has others that share the store told who is connected here: they took this server for gone.
    func sayWhoIsConnected() {
        for client in clients.all {
            if let group = client.group { see(client.device, in: group, on: client) }
        }
    }

    /// Takes note that a device of a group came or went. Of one that is only listed nothing is noted: it may be another
    /// group's.
    ///
    /// - Parameter connection: by which it came; nil where it went.
    func see(_ device: Digest, in group: GroupID, on connection: Client? = nil) {
        guard rosters.isHome(group, of: device) else { return }
        let now = clock.wall()
        rosters.see(device, in: group, at: now)
        sightings.record(
            device, at: now, hasCome: connection != nil, program: connection?.session.clientProgram)
        if isElsewhere(device, in: group) { unsettled.insert(group) }
    }

    /// Has the rosters read anew by which devices are elsewhere that came here or left, once the store was told of that: what
    /// this server says itself is no news to it.
    func settleRosters() {
        let numbers = unsettled.take(isAllNoted: !sightings.isDue).compactMap { groups[$0]?.log.number }
        if !numbers.isEmpty { storage?.write(.news(StoreNews(rosters: Set(numbers)), for: nil)) }
    }
}

extension Digest {
    /// Enough of it to tell devices apart in the log: 8 hexadecimal digits.
    package var short: String { String(hexadecimal.prefix(8)) }
}
