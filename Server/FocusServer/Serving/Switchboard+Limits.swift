import FocusCore
import FocusSync

// How many connections there may be. Those of devices that are known, and those that aren't known or not yet, are
// counted apart: strangers can't take the members' places.
extension Switchboard {
    /// A table by address has so many rows at most, whatever comes.
    static let keptAddresses = 4_096

    /// A client has connected, and is about to prove which device it is.
    ///
    /// - Returns: whether it may. Else it is turned away at once.
    package func arrives(_ connection: any MemberConnection) -> Bool {
        // More than this are ending, each with seconds left to take its goodbye.
        guard members.count + arriving.count < limits.connections + 2 * limits.strangers else {
            warnOfCrowd("the server", at: connection)
            return false
        }
        arriving[connection.id] = connection
        makeWay(for: connection)
        return true
    }

    /// The connection's device isn't known, or not yet: it stands in the doorway until it is.
    func makeWay(for connection: any MemberConnection) {
        guard let leaving = doorway.arrive(connection.id, from: connection.peerBlock) else { return }
        warnOfCrowd("the doorway", at: connection)
        if let connection = arriving.removeValue(forKey: leaving) {
            connection.abort()
        } else if let member = members[leaving] {
            let refusal = Refusal(
                .rate, "too many devices that it doesn't know connect from this address",
                retry: .after(10_000))
            perform(member.session.refuse(refusal), for: member)
        }
    }

    /// Counts a connection as its device's, which is known. Where the device has too many, the oldest goes: it is the
    /// one that is most likely dead.
    ///
    /// - Returns: why it can't be, where there are too many connections in all.
    func count(_ member: Member) -> Refusal? {
        doorway.leave(member.connection.id)
        let own = connections[member.device] ?? []
        if own.count >= limits.connectionsPerDevice, let oldest = own.first.flatMap({ members[$0] }) {
            let refusal = Refusal(
                .rate, "this laptop has too many connections at once", retry: .after(10_000))
            perform(oldest.session.refuse(refusal), for: oldest)
        }
        guard connectionCount < limits.connections else {
            warnOfCrowd("the server", at: member.connection)
            return Refusal(.busy, "it has as many connections as it takes", retry: .after(30_000))
        }
        connections[member.device, default: []].append(member.connection.id)
        connectionCount += 1
        return nil
    }

    /// The connection is over, or about to be.
    func discount(_ member: Member) {
        let id = member.connection.id
        doorway.leave(id)
        guard let place = connections[member.device]?.firstIndex(of: id) else { return }
        connectionCount -= 1
        connections[member.device]?.remove(at: place)
        if connections[member.device]?.isEmpty == true { connections[member.device] = nil }
    }

    /// Why a device can't ask to be let in now, where it can't. That it asks is counted.
    func refusalToEnrol(_ member: Member) -> Refusal? {
        let now = clock.read().steady
        let block = member.connection.peerBlock
        // In a minute, so many tokens come as a minute's attempts take.
        let cost = 60
        guard enrolments.count(of: block, at: now) >= cost else {
            let wait = enrolments.wait(for: cost, of: block, at: now)
            return Refusal(
                .rate, "too many laptops ask to join from this address",
                retry: .after(UInt32(clamping: wait / 1_000 + 1)))
        }
        enrolments.take(cost, of: block, at: now)
        return nil
    }

    private func warnOfCrowd(_ place: String, at connection: any MemberConnection) {
        guard crowding.isDue(at: clock.read().steady) else { return }
        log.write(
            .warning, "crowded",
            [
                "where": place, "peer": connection.peerDescription, "known": "\(connectionCount)",
                "unknown": "\(doorway.count)", "addresses": "\(doorway.blockCount)",
            ])
    }
}
