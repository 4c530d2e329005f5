package import FocusCore
package import FocusNet
package import FocusServerStore
import FocusSync

/// Routes messages between connections and the store. `ServerSessionDriver` feeds each connection's
/// `ServerSession`; the switchboard starts, stops, and receives the store's answers and the operators' orders.
///
/// It belongs to one thread and never blocks. Requests to read or write go into the storage's queue, and
/// their answers arrive later, in order. It uses no event loop and no socket, so that the simulator can run
/// the same code.
package final class Switchboard {
    private let clock: ServerClock
    private let log: Log
    private var life = Life.serving
    private let requests: StoreRequests
    /// The connections. Open to tests, which check the counts.
    let clients: Clients
    private let groups: Groups
    private let driver: ServerSessionDriver
    private let changes: GroupChanges
    /// The servers that share the store; nil if it can't be shared.
    private let others: OtherServers?
    /// The operators' orders as last read. Nil after the devices could not be reloaded, so that the next
    /// orders make the server try again.
    private var orders: StandingOrders?
    /// The `clockAcceptances` of the orders as last read. Unlike `orders`, it stays after a failed reload.
    private var clockAcceptances: Int64
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
        self.clock = clock
        self.log = log
        self.orders = orders
        clockAcceptances = orders.clockAcceptances
        self.whenStopped = whenStopped
        requests = StoreRequests(storage)
        clients = Clients(limits, clock: clock, log: log)
        others = number.map { [requests] in OtherServers($0, requests) }
        self.groups = Groups(groups, devices: devices, clients, others, clock)
        driver = ServerSessionDriver(
            clients, self.groups, others, requests, pin: pin, clock: clock, limits: limits, log: log,
            whenTurnsWait: whenTurnsWait)
        changes = GroupChanges(clients, self.groups, others, driver, log: log)
    }

    /// The keys that laptops should pin: the server's key, and the key that it announces.
    package var pin: ServerPin { driver.announced.pin }
}

// MARK: - Connections

extension Switchboard {
    /// Adds a connection that is about to prove its device.
    ///
    /// - Returns: Whether there is room. If not, the caller has to end the connection at once.
    package func arrives(_ connection: any ClientConnection) -> Bool {
        guard clients.arrive(connection) else { return false }
        driver.makeWay(for: connection)
        return true
    }

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
        if let others, case .unknown = groups.rosters.standing(of: device) {
            return others.lookUp(device, on: connection)
        }
        driver.open(connection, device)
    }

    /// Passes received bytes to the connection's session.
    package func received(_ bytes: [UInt8], on connection: ConnectionID) {
        driver.received(bytes, on: connection)
    }

    /// Tells the session that unsent bytes have gone out, after there were too many.
    package func writable(_ connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        client.countBuffers()
        driver.perform(client.session.unsentBytesChanged(to: client.connection.unsentBytes), for: client)
    }

    /// Runs turns until the work of one go is done. If turns remain, `whenTurnsWait` asks for another call.
    package func takeTurns() { driver.takeTurns() }

    /// Removes a connection that is over.
    ///
    /// - Parameters:
    ///   - problem: A description of the error; nil if there was none.
    ///   - code: The code of the error.
    package func closed(
        _ connection: any ClientConnection, _ problem: String?, code: NetError.Code = .closed
    ) {
        others?.dropLookup(for: connection.id)
        guard let client = clients.remove(connection.id) else {
            // The connection never opened. A load balancer checks several times a minute whether the server
            // is there. Such a check isn't a failed handshake.
            guard code != .saidNothing else {
                return log.write(.debug, "said-nothing", ["peer": .text(connection.peerDescription)])
            }
            driver.metrics.failedToShakeHands(code)
            return log.write(
                .debug, "handshake-failed",
                ["peer": .text(connection.peerDescription), "error": .text(problem ?? "closed")])
        }
        log.write(
            .debug, "disconnected", ["device": .text(client.device.short), "error": .text(problem ?? "none")])
        driver.endCount(of: client)
        finishIfStopped()
    }
}

// MARK: - Answers of the store

extension Switchboard {
    /// Passes the outcome of a batch to the sessions.
    package func handle(_ commit: CommitOutcome) {
        driver.metrics.count(commit.tally)
        let arrivals = takeArrivals(answeredBy: commit.answers)
        commit.deliver(answer: handle, push: handle)
        if commit.isDrained { drained() }
        driver.takeTurnsUnlessComing()
        guard !arrivals.isEmpty else { return }
        let now = clock.steady()
        for arrival in arrivals { driver.metrics.pushed(after: now - arrival) }
    }

    /// Removes the uploads that a batch answers from their connections, and counts refusals for metrics.
    ///
    /// - Returns: The instants at which these uploads arrived.
    private func takeArrivals(answeredBy outcomes: [WriterOutcome]) -> [SteadyInstant] {
        outcomes.compactMap { outcome in
            if case .answered(_, .refused(let refusal), _) = outcome { driver.metrics.refused(refusal.code) }
            guard case .merged(_, _, let stop, let connection) = outcome else { return nil }
            if let stop { driver.metrics.refused(stop.code) }
            return clients[connection]?.uploads.popFirst()
        }
    }

    private func handle(_ answers: [WriterOutcome]) {
        // Consecutive revocations are announced to each connection in one message.
        var revoked: [StoredDevice] = []
        for answer in answers {
            if case .device(let device) = answer {
                if changes.apply(device) { revoked.append(device) }
            } else {
                changes.applyRevocations(of: exchange(&revoked, with: []))
                handle(answer)
            }
        }
        changes.applyRevocations(of: revoked)
    }

    private func handle(_ push: WriterPush) {
        switch push {
        case .events(let push, let head, let group): changes.commit(push, head, in: group)
        case .caughtUp(let connection): others?.caughtUp(connection, driver)
        }
    }

    private func handle(_ outcome: WriterOutcome) {
        switch outcome {
        case .merged(let replica, let head, let stop, let connection):
            driver.tell(connection) { $0.merged(replica, head: head, stop: stop) }
        case .enrolled(let enrolled, let connection): driver.enrolled(enrolled, on: connection)
        case .ended(let refusal, let connection): driver.tell(connection) { $0.refuse(refusal) }
        case .answered(let number, let answer, let connection):
            driver.tell(connection) { $0.answered(number, answer) }
        case .groupAdded(let log): changes.add(log)
        case .setBack(let log): changes.setBack(log)
        case .epochAdded(let record, let group, let connection):
            changes.add(record, in: group, from: connection)
        case .reloaded(let devices, let groups): changes.reload(devices, groups)
        case .notReloaded: orders = nil
        case .notNoted(let former): groups.restore(former)
        case .roster(let devices): changes.applyRoster(devices)
        case .device: break
        }
    }

    /// Passes the reader's answers to the sessions.
    package func handle(_ answers: [ReaderAnswer]) {
        requests.read(.taken(answers.count))
        driver.reckonReads()
        for answer in answers {
            switch answer {
            case .events(let replica, let segment, let head, let connection):
                driver.tellRead(connection) { $0.loaded(replica, segment, head: head) }
            case .chains(let replica, let heads, let connection):
                driver.tell(connection) { $0.chains(replica, heads) }
            case .epochs(let records, let count, let connection):
                driver.tellRead(connection) { $0.loaded(records, lookedUp: count) }
            case .orders(let found):
                if orders?.revision != found.revision { requests.write(.reload) }
                orders = found
                let isAccepted = clockAcceptances != found.clockAcceptances
                clockAcceptances = found.clockAcceptances
                if isAccepted { acceptClock() }
            case .groups(let numbers, let connection): others?.found(numbers, for: connection, driver)
            case .failed(let connection):
                others?.lookupFailed(for: connection)
                driver.tell(connection) { $0.refuse(.unreadableLog) }
            }
        }
    }

    /// Handles a notice about other servers.
    package func handle(_ notice: NewsPoller.Notice) {
        if case .orders = notice { refresh() } else { others?.handle(notice, groups, driver) }
    }

    /// Accepts the machine's clock, because an operator says that it is right.
    private func acceptClock() {
        clock.accept()
        log.write(.info, "clock-accepted")
        // The greatest time served may be less than before; laptops that connect now may be served earlier
        // times.
        requests.write(
            .note([:], greatestServed: clock.greatestServed, acceptances: clockAcceptances))
    }
}

// MARK: - Periodic work

extension Switchboard {
    /// Checks the deadlines of all connections. Called about once a second.
    package func tick() {
        let now = clock.read()
        for client in clients.all {
            client.countBuffers()
            driver.perform(client.session.tick(now), for: client)
        }
        renewOutdated(at: now.steady)
    }

    /// Stores sightings and the greatest time served, if necessary. Called about every 30 seconds.
    package func storeSightings() {
        // After a failure, an attempt to write shows whether the store accepts data again. A shared database
        // can be readable but not writable, so it is tested even if there is nothing to store.
        let isToBeTried = metrics.storeProblem != nil || others != nil
        guard !groups.sightings.isEmpty || !metrics.isAllCounted || !clients.isEmpty || isToBeTried else {
            return
        }
        begin()
    }

    /// Stores sightings and the greatest time served. At the start of the server this triggers the writer's
    /// first batch, which marks devices as not connected.
    package func begin() {
        requests.write(
            .note(
                groups.takeSightings(), greatestServed: clock.greatestServed, acceptances: clockAcceptances))
    }

    /// Reads the operators' orders, and stores which devices are connected. Called once a second.
    package func refresh() {
        requests.read(.orders(known: orders))
        groups.refreshRosters()
        if groups.sightings.isDue || !metrics.isAllCounted { storeSightings() }
    }
}

// MARK: - The server's keys and addresses

extension Switchboard {
    /// The minimum age at which a connection is ended so that the laptop learns the keys or addresses from its next
    /// connection. A command that syncs on a connection of its own is done by then.
    private static let renewalAge = Duration.seconds(5)
    /// The number of connections ended at a time: `least`, or all connections divided by `part`, if that is
    /// more.
    private static let renewals = (least: 50, part: 30)

    /// Changes the keys that laptops should pin.
    package func change(to pin: ServerPin) { driver.announced.pin = pin }

    /// Changes the addresses that laptops should use.
    package func announce(_ addresses: [String]) { driver.announced.addresses = addresses }

    /// Ends a few connections of laptops that weren't told of the present keys and addresses, or were shown another
    /// key. The laptops reconnect, and the welcome tells them.
    private func renewOutdated(at now: SteadyInstant) {
        let outdated = clients.all.filter { client in
            guard let told = client.entered?.told else { return false }
            return (told != driver.announced || client.shownKey != pin.key)
                && now - client.opened >= Switchboard.renewalAge
        }
        let count = max(Switchboard.renewals.least, clients.count / Switchboard.renewals.part)
        for client in outdated.prefix(count) { driver.perform(client.session.leave(), for: client) }
    }
}

// MARK: - Stopping

extension Switchboard {
    /// The phases from the start of the server to its end.
    private enum Life {
        case serving
        /// New connections are turned away, and accepted requests are being committed and acknowledged.
        case draining
        /// All accepted requests are acknowledged, and the connections are being closed.
        case leaving
        /// The last connection is closed.
        case stopped
    }

    /// Whether `stop` was called.
    package var isStopping: Bool { if case .serving = life { false } else { true } }

    /// Has all accepted requests committed and acknowledged, then closes every connection.
    package func stop() {
        guard case .serving = life else { return }
        life = .draining
        log.write(.info, "stopping", ["connections": "\(clients.count)"])
        for client in clients.all { client.connection.pauseReading() }
        others?.abortLookups()
        storeSightings()
        requests.write(.barrier)
    }

    /// Closes all connections, because everything accepted before `stop` is acknowledged.
    private func drained() {
        guard case .draining = life else { return }
        while driver.haveNews { driver.takeTurns() }
        let leaving = clients.all
        for (place, client) in leaving.enumerated() {
            let refusal = Refusal(
                .shuttingDown, "the server is shutting down",
                retry: .after(Clients.comeback(place, of: leaving.count)))
            driver.perform(client.session.refuse(refusal), for: client)
            // This includes connections that were ended before and are still closing.
            client.connection.close(within: ServerSessionDriver.goodbye)
        }
        life = .leaving
        requests.end()
        finishIfStopped()
    }

    /// Calls `whenStopped` if the last connection is closed.
    private func finishIfStopped() {
        guard case .leaving = life, clients.isEmpty else { return }
        life = .stopped
        whenStopped()
    }
}

// MARK: - State for metrics

extension Switchboard {
    /// The counts for metrics.
    package var metrics: ServerMetrics { driver.metrics }

    /// The number of connections that are ready for use.
    package var connectionCount: Int { clients.count }

    /// The memory that is held for connections, in bytes.
    package var bufferedBytes: Int { clients.memory.total }

    /// The number of groups.
    package var groupCount: Int { groups.count }

    /// The number of devices, without the revoked ones.
    package var deviceCount: Int { groups.rosters.memberCount }

    /// The latest stamp in all logs; nil if there is no log.
    package var latest: Stamp? { groups.latest }
}
