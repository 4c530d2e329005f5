import FocusCore
import FocusSync
import FocusWriter

// How many connections there may be. Those of devices that are known, and those that aren't known or not yet, are
// counted apart: strangers can't take the members' places.
extension Switchboard {
    /// A table by address has so many rows at most, whatever comes.
    static let keptAddresses = 4_096

    /// A client has connected, and is about to prove which device it is.
    ///
    /// - Returns: whether it may. Else it is turned away at once.
    package func arrives(_ connection: any ClientConnection) -> Bool {
        // More than this are ending, each with seconds left to take its goodbye.
        guard clients.countWithArriving < limits.connections + 2 * limits.strangers else {
            warnOfCrowd("the server", at: connection)
            return false
        }
        clients.arrive(connection)
        makeWay(for: connection)
        return true
    }

    /// The connection's device isn't known, or not yet: it stands in the doorway until it is.
    func makeWay(for connection: any ClientConnection) {
        guard let leaving = doorway.arrive(connection.id, from: connection.peerBlock) else { return }
        warnOfCrowd("the doorway", at: connection)
        if let connection = clients.turnAway(leaving) {
            connection.abort()
        } else if let client = clients[leaving] {
            let refusal = Refusal(
                .rate, "too many devices that it doesn't know connect from this address",
                retry: .after(.seconds(10)))
            perform(client.session.refuse(refusal), for: client)
            client.connection.close(within: Switchboard.goodbye)
        }
    }

    /// Counts a connection as its device's, which is known. Where the device has too many, the oldest goes: it is the
    /// one that is most likely dead. Where the group has too many, the device goes by that which has the most of them: who
    /// has one alone always keeps it.
    ///
    /// - Returns: why it can't be, where there are too many connections in all.
    func count(_ client: Client, in group: GroupID) -> Refusal? {
        doorway.leave(client.connection.id)
        if known.all(of: client.device).count >= limits.connectionsPerDevice {
            endOldest(of: client.device, "this laptop has too many connections at once")
        }
        if known.count(in: group) >= limits.connectionsPerGroup,
            let greediest = known.greediest(in: group, with: client.device)
        {
            endOldest(
                of: greediest, "this laptop has the most of its group's connections, which are too many")
        }
        guard known.count < limits.connections else {
            warnOfCrowd("the server", at: client.connection)
            return Refusal(.busy, "it has as many connections as it takes", retry: .after(.seconds(30)))
        }
        known.add(client.connection.id, of: client.device, in: group)
        buffers.move(&client.share, to: group)
        return nil
    }

    /// Ends the connection that a device has had for the longest.
    private func endOldest(of device: Digest, _ reason: String) {
        guard let oldest = known.all(of: device).first.flatMap({ clients[$0] }) else { return }
        perform(oldest.session.refuse(Refusal(.rate, reason, retry: .after(.seconds(10)))), for: oldest)
        // Or who comes again and again would hold as many as it likes.
        oldest.connection.close(within: Switchboard.goodbye)
    }

    /// The connection is over, or about to be.
    func discount(_ client: Client) {
        let id = client.connection.id
        doorway.leave(id)
        buffers.release(&client.share)
        known.remove(id, of: client.device, in: client.share.account)
    }

    /// Why a device can't ask to be let in now, where it can't. That it asks is counted.
    func refusalToEnrol(_ client: Client) -> Refusal? {
        let now = clock.read().steady
        let block = client.connection.peerBlock
        // In a minute, so many tokens come as a minute's attempts take.
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
