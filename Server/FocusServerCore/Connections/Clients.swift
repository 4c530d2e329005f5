import FocusCore
import FocusSync

/// The server's connections, before and after they have proved their device, with the limits on their number
/// and memory. Connections of known devices and of strangers are counted separately, so that strangers can't
/// use up the members' places. It only decides: `ServerSessionDriver` ends the connections that it names.
final class Clients {
    private enum Entry {
        case arriving(any ClientConnection)
        case client(Client)
    }

    private let limits: ServerLimits
    private let clock: ServerClock
    private let log: Log
    private var entries: [ConnectionID: Entry] = [:]
    /// The connections that have proved their device, the oldest first, so that no result depends on a
    /// dictionary's order.
    private var order = OrderedKeys<ConnectionID>()
    /// The connections of strangers. Their device is unknown, or not known yet during the handshake.
    private(set) var strangers: StrangerConnections
    /// The connections of known devices.
    private(set) var known = DeviceConnections()
    /// The memory held for connections, counted at each event of a connection, in constant time.
    private(set) var memory = ConnectionMemory()
    /// The rate limiter for warnings of `warnOfCrowd`.
    private var crowding = LogThrottle(every: .seconds(60))
    /// The rate limiters for requests to enrol, by the client's address.
    private var enrolments: TokenBuckets<AddressBlock>

    /// The maximum number of addresses with a rate limiter of their own.
    private static let keptAddresses = 4_096

    init(_ limits: ServerLimits, clock: ServerClock, log: Log) {
        self.limits = limits
        self.clock = clock
        self.log = log
        strangers = StrangerConnections(perBlock: limits.strangersPerAddress, limit: limits.strangers)
        enrolments = TokenBuckets(limits.enrolmentRate, keeping: Clients.keptAddresses)
    }

    /// Whether no connection has proved its device.
    var isEmpty: Bool { order.isEmpty }

    /// The number of connections that have proved their device.
    var count: Int { order.count }

    /// The number of all connections.
    var countWithArriving: Int { entries.count }

    subscript(connection: ConnectionID) -> Client? {
        if case .client(let client)? = entries[connection] { client } else { nil }
    }

    /// The connections that have proved their device, the oldest first.
    var all: [Client] { order.all.compactMap { self[$0] } }

    /// Returns a known device's connections, the oldest first.
    func all(of device: Digest) -> [Client] { known.all(of: device).compactMap { self[$0] } }

    /// Adds a connection that is about to prove its device.
    ///
    /// - Returns: Whether there is room. If not, the caller has to end the connection at once.
    func arrive(_ connection: any ClientConnection) -> Bool {
        // Beside known devices and strangers, this leaves room for connections that are ending and have
        // seconds left to receive their goodbye.
        guard entries.count < limits.connections + 2 * limits.strangers else {
            warnOfCrowd("the server", at: connection)
            return false
        }
        entries[connection.id] = .arriving(connection)
        return true
    }

    /// Removes a connection that has not proved its device yet.
    ///
    /// - Returns: The connection, or nil if it has proved its device or doesn't exist.
    func turnAway(_ connection: ConnectionID) -> (any ClientConnection)? {
        guard case .arriving(let arriving)? = entries[connection] else { return nil }
        entries[connection] = nil
        return arriving
    }

    /// Adds a connection that has proved its device.
    func add(_ client: Client) {
        entries[client.connection.id] = .client(client)
        order.append(client.connection.id)
    }

    /// Removes a connection that is over.
    ///
    /// - Returns: Its client, or nil if it never proved its device.
    func remove(_ connection: ConnectionID) -> Client? {
        strangers.leave(connection)
        order.remove(connection)
        guard case .client(let client)? = entries.removeValue(forKey: connection) else { return nil }
        return client
    }

    /// Warns, at most once a minute, that a connection is ended or refused because a limit is reached.
    func warnOfCrowd(_ place: String, at connection: any ClientConnection) {
        guard crowding.isDue(at: clock.read().steady) else { return }
        log.write(
            .warning, "crowded",
            [
                "where": .text(place), "peer": .text(connection.peerDescription), "known": "\(known.count)",
                "unknown": "\(strangers.count)", "addresses": "\(strangers.blockCount)",
            ])
    }

    // MARK: - The number of connections

    /// Counts a stranger's connection.
    ///
    /// - Returns: The displaced connection, which the caller has to end; nil if none is displaced.
    func countStranger(_ connection: any ClientConnection) -> ConnectionID? {
        let leaving = strangers.arrive(connection.id, from: connection.peerBlock)
        if leaving != nil { warnOfCrowd("the doorway", at: connection) }
        return leaving
    }

    /// Stops counting a connection as a stranger's, because its device is known.
    func endStranger(_ connection: ConnectionID) { strangers.leave(connection) }

    /// Returns the oldest connection of a device that has no room for another one.
    func oldest(of device: Digest) -> Client? {
        let own = known.all(of: device)
        return own.count >= limits.connectionsPerDevice ? own.first.flatMap { self[$0] } : nil
    }

    /// If a group has no room for another connection of `device`, returns the oldest connection of the device
    /// that would have the most with it. That device would have at least two, so each device keeps one.
    func oldest(in group: GroupID, with device: Digest) -> Client? {
        guard known.count(in: group) >= limits.connectionsPerGroup,
            let greediest = known.greediest(in: group, with: device)
        else { return nil }
        return known.all(of: greediest).first.flatMap { self[$0] }
    }

    /// Counts a connection for its device and the group.
    ///
    /// - Returns: A refusal if the server has too many connections in total.
    func count(_ client: Client, in group: GroupID) -> Refusal? {
        guard known.count < limits.connections else {
            warnOfCrowd("the server", at: client.connection)
            return Refusal(.busy, "it has reached its limit of connections", retry: .after(.seconds(30)))
        }
        known.add(client.connection.id, of: client.device, in: group)
        memory.move(&client.share, to: group)
        return nil
    }

    /// Stops counting a connection that is over, or about to be.
    func discount(_ client: Client) {
        let id = client.connection.id
        strangers.leave(id)
        memory.release(&client.share)
        known.remove(id, of: client.device, in: client.share.account)
    }

    /// Returns the delay after which a client should reconnect. A restarted server is ready after a second.
    /// The clients reconnect at intervals of 20 ms, or within 30 s in total if they are many, to spread the
    /// handshakes.
    ///
    /// - Parameters:
    ///   - place: The client's index, from 0.
    ///   - count: The number of clients.
    static func comeback(_ place: Int, of count: Int) -> Duration {
        let spread = min(count * 20, 30_000)
        return .milliseconds(1_000 + place * spread / max(1, count))
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

    // MARK: - The memory for connections

    /// Counts the memory held for a connection. If a limit is exceeded, calls `end` for the connections with
    /// the most memory.
    func reckon(_ client: Client, end: (Client) -> Void) {
        guard self[client.connection.id] != nil, !client.session.isOver else { return }
        let hasGrown = memory.count(&client.share, sessionBytes: client.session.heldBytes)
        guard hasGrown, memory.beginMakingRoom() else { return }
        while let crowded = memory.crowded(after: client.share.account, limits),
            let biggest = biggest(in: crowded)
        {
            end(biggest)
        }
        memory.endMakingRoom()
    }

    /// Returns the connection of a group, or of strangers, for which the most memory is held. If several are
    /// equal, returns the one with the smallest id. Nil if no memory is held.
    private func biggest(in group: GroupID?) -> Client? {
        let ids = group.map { known.all(in: $0) } ?? strangers.all
        return ids.compactMap { self[$0] }.filter { $0.share.bytes > 0 }.max { left, right in
            (left.share.bytes, right.connection.id) < (right.share.bytes, left.connection.id)
        }
    }
}
