import FocusCore
import FocusSync
import FocusWriter

// The limits on the number of connections. Connections of known devices and of strangers are counted
// separately, so that strangers can't use up the members' places.
extension Switchboard {
    /// The maximum number of addresses with a rate limiter of their own.
    static let keptAddresses = 4_096

    /// Adds a connection that is about to prove its device.
    ///
    /// - Returns: Whether there is room. If not, the caller has to end the connection at once.
    package func arrives(_ connection: any ClientConnection) -> Bool {
        // Beside known devices and strangers, this leaves room for connections that are ending and have
        // seconds left to receive their goodbye.
        guard clients.countWithArriving < limits.connections + 2 * limits.strangers else {
            warnOfCrowd("the server", at: connection)
            return false
        }
        clients.arrive(connection)
        makeWay(for: connection)
        return true
    }

    /// Counts a stranger's connection, and ends the connection that it displaces.
    func makeWay(for connection: any ClientConnection) {
        guard let leaving = doorway.arrive(connection.id, from: connection.peerBlock) else { return }
        warnOfCrowd("the doorway", at: connection)
        if let connection = clients.turnAway(leaving) {
            connection.abort()
        } else if let client = clients[leaving] {
            let refusal = Refusal(
                .rate, "too many unknown devices connect from this address",
                retry: .after(.seconds(10)))
            perform(client.session.refuse(refusal), for: client)
            client.connection.close(within: Switchboard.goodbye)
        }
    }

    /// Counts a connection for its device, which is known. If the device has too many connections, its oldest
    /// one is ended, because that is most likely dead. If the group has too many, the device with the most
    /// connections loses its oldest one. No device is left without a connection.
    ///
    /// - Returns: A refusal if the server has too many connections in total.
    func count(_ client: Client, in group: GroupID) -> Refusal? {
        doorway.leave(client.connection.id)
        if known.all(of: client.device).count >= limits.connectionsPerDevice {
            endOldest(of: client.device, "this laptop has too many connections at once")
        }
        if known.count(in: group) >= limits.connectionsPerGroup,
            let greediest = known.greediest(in: group, with: client.device)
        {
            endOldest(
                of: greediest, "its group has too many connections, and this laptop has the most of them")
        }
        guard known.count < limits.connections else {
            warnOfCrowd("the server", at: client.connection)
            return Refusal(.busy, "it has reached its limit of connections", retry: .after(.seconds(30)))
        }
        known.add(client.connection.id, of: client.device, in: group)
        buffers.move(&client.share, to: group)
        return nil
    }

    /// Ends a device's oldest connection.
    private func endOldest(of device: Digest, _ reason: String) {
        guard let oldest = known.all(of: device).first.flatMap({ clients[$0] }) else { return }
        perform(oldest.session.refuse(Refusal(.rate, reason, retry: .after(.seconds(10)))), for: oldest)
        // The connection closes within a short time. Otherwise a client that reconnects repeatedly could hold
        // any number of ending connections.
        oldest.connection.close(within: Switchboard.goodbye)
    }

    /// Stops counting a connection that is over, or about to be.
    func discount(_ client: Client) {
        let id = client.connection.id
        doorway.leave(id)
        buffers.release(&client.share)
        known.remove(id, of: client.device, in: client.share.account)
    }

    /// Counts a request to enrol, and returns the refusal if there were too many from this address.
    func refusalToEnrol(_ client: Client) -> Refusal? {
        let now = clock.read().steady
        let block = client.connection.peerBlock
        // A token is a 60th of an attempt: the limit is per minute, and the bucket fills per second.
        let cost = 60
        guard enrolments.count(of: block, at: now) >= cost else {
            let wait = enrolments.wait(for: cost, of: block, at: now)
            return Refusal(
                .rate, "too many laptops ask to join from this address",
                retry: .after(wait + .milliseconds(1)))
        }
        enrolments.take(cost, of: block, at: now)
        return nil
    }
}
