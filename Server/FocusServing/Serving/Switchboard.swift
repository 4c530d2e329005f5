package import FocusCore
package import FocusServerStore
import FocusSync
package import FocusWriter

/// Routes messages between connections and the store: feeds each connection's `ServerSession` and performs
/// its effects.
///
/// It belongs to one thread and never blocks. Requests to read or write go into the storage's queue, and
/// their answers arrive later, in order. It uses no event loop and no socket, so that the simulator can run
/// the same code.
package final class Switchboard {
    /// The name and version of this program, as clients are told.
    static let program = "focusd \(Lockstep.version)"

    let clock: ServerClock
    let limits: ServerLimits
    let log: Log
    private var life: Life
    var groups: [GroupID: GroupFeed]
    var rosters = Rosters()
    var clients = Clients()
    /// The connections of strangers. Their device is unknown, or not known yet during the handshake.
    var doorway: StrangerConnections
    /// The connections of known devices.
    var known = DeviceConnections()
    /// The memory held for connections.
    var buffers = ConnectionMemory()
    /// The rate limiter for warnings of `warnOfCrowd`.
    private var crowding = LogThrottle(every: .seconds(60))
    /// The rate limiters for requests to enrol, by the client's address.
    var enrolments: TokenBuckets<AddressBlock>
    /// The sightings that aren't stored yet.
    var sightings = PendingLastSeen()
    /// Whether the store has counted the sizes of all uploads. If not, the next `note` makes it count the
    /// rest.
    var isAllCounted = true
    /// The operators' orders as last read. Nil after the devices could not be reloaded, so that the next
    /// orders make the server try again.
    var orders: StandingOrders?
    /// The `clockAcceptances` of the orders as last read. Unlike `orders`, it stays after a failed reload.
    var clockAcceptances: Int64
    /// The keys that laptops should pin: the server's key, and the key that it announces.
    private(set) var pin: ServerPin
    /// The counts for metrics.
    var metrics = ServerMetrics()
    /// Connections and groups with work left for the next loop iteration.
    var turns = NetworkTurns()
    /// Connections with a key that is on no roster here. The key is being looked up in a store that servers
    /// share.
    var unknownKeys = UnknownKeys()
    /// The groups with logs that this server keeps reading, if servers share the store.
    var followed = FollowedGroups()
    /// The server's number among the servers that share the store; nil if the store can't be shared.
    let number: Int64?
    /// The groups in which a device connected or disconnected here while its roster says that it is connected
    /// to another server. Their rosters are read again after the sightings are stored.
    var unsettled = GroupsToRefresh()
    /// Called when turns wait. Schedules a call of `takeTurns`, behind the input that has already arrived.
    let whenTurnsWait: () -> Void
    /// Called once `stop` is complete.
    private let whenStopped: () -> Void

    /// Creates a switchboard without connections.
    ///
    /// - Parameters:
    ///   - storage: The queue for requests to the store.
    ///   - number: The server's number among the servers that share the store; nil if the store can't be
    ///     shared.
    ///   - groups: The groups' logs as the writer has them.
    ///   - devices: The rosters of all groups.
    ///   - orders: The operators' orders, read before the devices or together with them.
    ///   - pin: The server's key, and the key that it announces.
    ///   - whenTurnsWait: Called when turns wait. Schedules a call of `takeTurns`, behind the input that has
    ///     already arrived.
    ///   - whenStopped: Called once `stop` is complete.
    package init(
        _ storage: any StorageQueue, as number: Int64? = nil, groups: [GroupID: GroupIndex],
        devices: [StoredDevice],
        orders: StandingOrders, pin: ServerPin, clock: ServerClock, limits: ServerLimits, log: Log,
        whenTurnsWait: @escaping () -> Void, whenStopped: @escaping () -> Void
    ) {
        life = .serving(storage)
        self.number = number
        self.clock = clock
        self.limits = limits
        self.log = log
        doorway = StrangerConnections(perBlock: limits.strangersPerAddress, limit: limits.strangers)
        enrolments = TokenBuckets(limits.enrolmentRate, keeping: Switchboard.keptAddresses)
        self.groups = groups.mapValues(GroupFeed.init)
        self.orders = orders
        clockAcceptances = orders.clockAcceptances
        self.pin = pin
        self.whenTurnsWait = whenTurnsWait
        self.whenStopped = whenStopped
        for device in devices { rosters.put(device) }
    }
}

// MARK: - Periodic work

extension Switchboard {
    /// Warns, at most once a minute, that a connection is ended or refused because a limit is reached.
    func warnOfCrowd(_ place: String, at connection: any ClientConnection) {
        guard crowding.isDue(at: clock.read().steady) else { return }
        log.write(
            .warning, "crowded",
            [
                "where": .text(place), "peer": .text(connection.peerDescription), "known": "\(known.count)",
                "unknown": "\(doorway.count)", "addresses": "\(doorway.blockCount)",
            ])
    }

    /// Checks the deadlines of all connections. Called about once a second.
    package func tick() {
        let now = clock.read()
        for client in clients.all {
            lookAtLine(of: client)
            perform(client.session.tick(now), for: client)
        }
        renewOutdated(at: now.steady)
    }

    /// Stores sightings and the greatest time served, if necessary. Called about every 30 seconds.
    package func storeSightings() {
        // After a failure, an attempt to write shows whether the store accepts data again. A shared database
        // can be readable but not writable, so it is tested even if there is nothing to store.
        let isToBeTried = metrics.storeProblem != nil || number != nil
        guard !sightings.isEmpty || !isAllCounted || !clients.isEmpty || isToBeTried else { return }
        begin()
    }

    /// Stores sightings and the greatest time served. At the start of the server this triggers the writer's
    /// first batch, which marks devices as not connected.
    package func begin() {
        storage?.write(
            .note(
                sightings.takeAll(), greatestServed: clock.greatestServed, acceptances: clockAcceptances))
        unsettled.areNoted()
    }

    /// Reads the operators' orders, and stores which devices are connected. Called once a second.
    package func refresh() {
        storage?.read(.orders(known: orders))
        refreshRosters()
        if sightings.isDue || !isAllCounted { storeSightings() }
    }
}

// MARK: - The server's keys

extension Switchboard {
    /// The minimum age at which a connection is ended so that the laptop learns the keys from its next
    /// connection. A command that syncs on a connection of its own is done by then.
    private static let renewalAge = Duration.seconds(5)
    /// The number of connections ended at a time: `least`, or all connections divided by `part`, if that is
    /// more.
    private static let renewals = (least: 50, part: 30)

    /// Changes the keys that laptops should pin.
    package func change(to pin: ServerPin) { self.pin = pin }

    /// Ends a few connections of laptops that weren't told of the present keys, or were shown another key.
    /// The laptops reconnect, and the welcome tells them of the keys.
    private func renewOutdated(at now: SteadyInstant) {
        let outdated = clients.all.filter { client in
            guard let told = client.entered?.told else { return false }
            return (told != pin || client.shownKey != pin.key)
                && now - client.opened >= Switchboard.renewalAge
        }
        let count = max(Switchboard.renewals.least, clients.count / Switchboard.renewals.part)
        for client in outdated.prefix(count) { perform(client.session.leave(), for: client) }
    }
}

// MARK: - Stopping

extension Switchboard {
    /// The phases from the start of the server to its end.
    private enum Life {
        case serving(any StorageQueue)
        /// New connections are turned away, and accepted requests are being committed and acknowledged.
        case draining(any StorageQueue)
        /// All accepted requests are acknowledged, and the connections are being closed.
        case leaving
        /// The last connection is closed.
        case stopped
    }

    /// The queue for requests; nil once all accepted requests are acknowledged.
    var storage: (any StorageQueue)? {
        switch life {
        case .serving(let storage), .draining(let storage): storage
        case .leaving, .stopped: nil
        }
    }

    /// Whether `stop` was called.
    var isStopping: Bool { if case .serving = life { false } else { true } }

    /// Has all accepted requests committed and acknowledged, then closes every connection.
    package func stop() {
        guard case .serving(let storage) = life else { return }
        life = .draining(storage)
        log.write(.info, "stopping", ["connections": "\(clients.count)"])
        for client in clients.all { client.connection.pauseReading() }
        for connection in unknownKeys.removeAll() { connection.abort() }
        storeSightings()
        storage.write(.barrier)
    }

    /// The time in which a laptop has to receive the goodbye if the server stops or needs the room.
    static let goodbye = Duration.seconds(1)

    /// Closes all connections, because everything accepted before `stop` is acknowledged.
    func drained() {
        guard case .draining = life else { return }
        while turns.haveNews { takeTurns() }
        let leaving = clients.all
        for (place, client) in leaving.enumerated() {
            let refusal = Refusal(
                .shuttingDown, "the server is shutting down",
                retry: .after(Switchboard.comeback(place, of: leaving.count)))
            perform(client.session.refuse(refusal), for: client)
            // This includes connections that were ended before and are still closing.
            client.connection.close(within: Switchboard.goodbye)
        }
        life = .leaving
        finishIfStopped()
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

    /// Calls `whenStopped` if the last connection is closed.
    func finishIfStopped() {
        guard case .leaving = life, clients.isEmpty else { return }
        life = .stopped
        whenStopped()
    }
}

// MARK: - State for metrics

extension Switchboard {
    /// Returns the present state.
    ///
    /// - Parameter store: The result of the last check of the store.
    func state(_ store: StoreHealth) -> ServerState {
        let verdict = clock.check()
        let wall = clock.wall()
        let latest = groups.values.lazy.map(\.log.latest).max()
        var state = ServerState(store: store)
        state.connections = clients.count
        state.bufferedBytes = buffers.total
        state.groups = groups.count
        state.devices = rosters.memberCount
        state.isStopping = isStopping
        state.clock = verdict
        state.clockOffset = wall - clock.greatestServed
        if let latest, latest != .zero {
            state.logAhead = latest.time - wall
        }
        state.storeProblem = metrics.storeProblem
        return state
    }
}
