package import FocusCore
package import FocusServerStore
import FocusSync
package import FocusWriter

/// What lies between the connections and the store: has each connection's session decide, and carries out what that
/// asks for.
///
/// It belongs to one thread, and waits for nobody: what has to be written or read is left in the storage's queue,
/// whose answers come back in order. It knows no loop and no socket, so that the simulator drives the very same.
package final class Switchboard {
    /// What clients are told of this program.
    static let program = "focusd \(Lockstep.version)"

    let clock: ServerClock
    let limits: ServerLimits
    let log: Log
    private var life: Life
    var groups: [GroupID: GroupFeed]
    var rosters = Rosters()
    var clients = Clients()
    /// The connections whose device isn't known, or not yet.
    var doorway: Doorway
    /// Those of devices that are known.
    var known = DeviceConnections()
    /// What is held in memory for connections.
    var buffers = Buffers()
    private var crowding = Seldom(every: .seconds(60))
    /// How often devices asked to be let in, by where they come from.
    var enrolments: TokenBuckets<AddressBlock>
    var sightings = UnnotedSightings()
    /// Whether the store has counted all that devices have brought.
    var isAllCounted = true
    /// What operators had decided when the devices were last looked at; nil where that failed.
    var orders: StandingOrders?
    /// How often an operator had accepted the clock when that was last looked at.
    var clockAcceptances: Int64
    /// What laptops should pin: the server's key, and the one that it announces.
    private(set) var pin: ServerPin
    /// What was counted.
    var metrics = ServerMetrics()
    /// Those who have more to say, or to be told, than is done in one turn.
    var turns = NetworkTurns()
    /// Connections whose keys no roster has here, and that are looked up in a store that others share.
    var unknownKeys = UnknownKeys()
    /// The groups whose logs are kept up with, where others share the store.
    var followed = FollowedGroups()
    /// The server's number among those that share the store; nil where none can.
    let number: Int64?
    /// The groups of which a device came or left that counts as connected to another server.
    var unsettled = UnsettledGroups()
    let whenTurnsWait: () -> Void
    private let whenStopped: () -> Void

    /// A switchboard without connections.
    ///
    /// - Parameters:
    ///   - number: the server's among those that share the store; nil where none can.
    ///   - groups: the groups' logs as the writer has them.
    ///   - devices: every group's roster.
    ///   - orders: what operators had decided when, or before, the devices were read.
    ///   - pin: the server's key, and the one that it announces.
    ///   - whenTurnsWait: sees to it that `takeTurns` is called, after what else has come meanwhile.
    ///   - whenStopped: is called once `stop` is done.
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
        doorway = Doorway(perBlock: limits.strangersPerAddress, limit: limits.strangers)
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

// MARK: - What is done now and then

extension Switchboard {
    /// Warns that somebody has to go, or can't come, since there are too many, or too much is held: once a minute.
    func warnOfCrowd(_ place: String, at connection: any ClientConnection) {
        guard crowding.isDue(at: clock.read().steady) else { return }
        log.write(
            .warning, "crowded",
            [
                "where": .text(place), "peer": .text(connection.peerDescription), "known": "\(known.count)",
                "unknown": "\(doorway.count)", "addresses": "\(doorway.blockCount)",
            ])
    }

    /// Sees to deadlines: about every second.
    package func tick() {
        let now = clock.read()
        for client in clients.all {
            lookAtLine(of: client)
            perform(client.session.tick(now), for: client)
        }
        renewOutdated(at: now.steady)
    }

    /// Has what changes all the time stored: about every 30 seconds.
    package func storeSightings() {
        // Where nothing could be stored, somebody has to find out that it can be again. And a database that can be read may not
        // take anything: where others might have the next laptop, it is found out beforehand.
        let isToBeTried = metrics.storeProblem != nil || number != nil
        guard !sightings.isEmpty || !isAllCounted || !clients.isEmpty || isToBeTried else { return }
        begin()
    }

    /// Has the store told what wasn't true before this server: that nobody is connected yet.
    package func begin() {
        storage?.write(
            .note(
                sightings.takeAll(), greatestServed: clock.greatestServed, acceptances: clockAcceptances))
        unsettled.areNoted()
    }

    /// Finds out what operators decided, and lets others find in the store who is connected: once a second.
    package func refresh() {
        storage?.read(.orders(known: orders))
        settleRosters()
        if sightings.isDue || !isAllCounted { storeSightings() }
    }
}

// MARK: - The server's keys

extension Switchboard {
    /// A connection isn't ended before it is this old for what a laptop can be told on the next one:
    /// a command that syncs has one of its own, and is done by then.
    private static let renewalAge = Duration.seconds(5)
    /// So many connections, or this part of all, are ended at once.
    private static let renewals = (least: 50, part: 30)

    /// The server has another key from now on, or announces another.
    package func change(to pin: ServerPin) { self.pin = pin }

    /// Has laptops connect anew that don't know yet how the keys stand, or haven't seen the present one: a few at a
    /// time, as the welcome tells them.
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
    /// How far it is on its way from beginning to end.
    private enum Life {
        case serving(any StorageQueue)
        /// Nobody is let in any more, and what was accepted is being committed and acknowledged.
        case draining(any StorageQueue)
        /// All of it is, and the connections are on their way out.
        case leaving
        /// The last one has gone.
        case stopped
    }

    /// Where requests are left; nil once everything that was accepted has been acknowledged.
    var storage: (any StorageQueue)? {
        switch life {
        case .serving(let storage), .draining(let storage): storage
        case .leaving, .stopped: nil
        }
    }

    /// Whether it was told to stop.
    var isStopping: Bool { if case .serving = life { false } else { true } }

    /// Has what was accepted committed and acknowledged, then closes every connection.
    package func stop() {
        guard case .serving(let storage) = life else { return }
        life = .draining(storage)
        log.write(.info, "stopping", ["connections": "\(clients.count)"])
        for client in clients.all { client.connection.pauseReading() }
        for connection in unknownKeys.removeAll() { connection.abort() }
        storeSightings()
        storage.write(.barrier)
    }

    /// A laptop has so long to take its goodbye where the server stops, or wants the room.
    static let goodbye = Duration.seconds(1)

    /// Everything that was accepted before `stop` is acknowledged.
    func drained() {
        guard case .draining = life else { return }
        while turns.haveNews { takeTurns() }
        let leaving = clients.all
        for (place, client) in leaving.enumerated() {
            let refusal = Refusal(
                .shuttingDown, "the server is shutting down",
                retry: .after(Switchboard.comeback(place, of: leaving.count)))
            perform(client.session.refuse(refusal), for: client)
            // Those that were ended before, and take their time, too.
            client.connection.close(within: Switchboard.goodbye)
        }
        life = .leaving
        finishIfStopped()
    }

    /// In how long one of so many connections is to come back. A server that is started anew is there
    /// after a second, and hundreds of handshakes at once are no good beginning: 20 ms lie between two, where it takes
    /// no longer than half a minute in all.
    static func comeback(_ place: Int, of count: Int) -> Duration {
        let spread = min(count * 20, 30_000)
        return .milliseconds(1_000 + place * spread / max(1, count))
    }

    /// Tells whoever waits for the end, where this is it.
    func finishIfStopped() {
        guard case .leaving = life, clients.isEmpty else { return }
        life = .stopped
        whenStopped()
    }
}

// MARK: - What metrics show

extension Switchboard {
    /// How things stand now.
    ///
    /// - Parameter store: how the store's file stands.
    func state(_ store: StoreLook) -> ServerState {
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
