import FocusCore
import FocusServerStore
import FocusSync

/// Performs the effects of the connections' sessions: sends, asks the store, lets them enter their groups,
/// and ends the connections that go over a limit. It also gives each group its turns on the network's thread.
final class ServerSessionDriver {
    private let clients: Clients
    private let groups: Groups
    private let others: OtherServers?
    private let requests: StoreRequests
    private let clock: ServerClock
    private let limits: ServerLimits
    private let log: Log
    /// The keys that laptops should pin, and the addresses that they should use. `Switchboard` changes them.
    var announced: ServerAnnouncement
    /// The counts for metrics. `Switchboard` and `OtherServers` add to them too.
    var metrics = ServerMetrics()
    /// Connections and groups with work left for the next loop iteration.
    private var turns = NetworkTurns()
    /// The connections that were sent data from the store since the last `reckonReads`.
    private var readFor: [ConnectionID] = []
    /// Called when turns wait. Schedules a call of `takeTurns`, behind the input that has already arrived.
    private let whenTurnsWait: () -> Void

    /// The name and version of this program, as clients are told.
    private static let program = "focusd \(Lockstep.version)"
    /// The time in which a laptop has to receive the goodbye if the server stops or needs the room.
    static let goodbye = Duration.seconds(1)
    /// The work done in one go, in the unit of `Limits.turn`: 2 or 3 ms. Afterwards the loop handles other
    /// input.
    static let workAtOnce = 2 * Limits.turn

    init(
        _ clients: Clients, _ groups: Groups, _ others: OtherServers?, _ requests: StoreRequests,
        pin: ServerPin, clock: ServerClock, limits: ServerLimits, log: Log,
        whenTurnsWait: @escaping () -> Void
    ) {
        self.clients = clients
        self.groups = groups
        self.others = others
        self.requests = requests
        announced = ServerAnnouncement(pin: pin)
        self.clock = clock
        self.limits = limits
        self.log = log
        self.whenTurnsWait = whenTurnsWait
    }

    /// Begins the session of a connection, with the rights that its key has.
    func open(_ connection: any ClientConnection, _ device: Digest) {
        let standing = groups.rosters.standing(of: device)
        let now = clock.read()
        let session = ServerSession(
            device: device, standing: standing, program: ServerSessionDriver.program, limits: limits.session,
            now: now)
        let client = Client(
            connection, device: device, shownKey: connection.shownKey ?? announced.pin.key,
            opened: now.steady,
            session: session)
        clients.add(client)
        metrics.shookHands()
        log.write(
            .debug, "connected", ["device": .text(device.short), "peer": .text(connection.peerDescription)])
        guard case .member(let group) = standing else { return makeWay(for: connection) }
        if let refusal = count(client, in: group) { perform(client.session.refuse(refusal), for: client) }
    }

    /// Passes received bytes to the connection's session.
    func received(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        metrics.bytesReceived += UInt64(bytes.count)
        client.countBuffers()
        // If other connections wait for their turn, this one waits too.
        perform(
            client.session.received(bytes[...], at: clock.read(), hasTurn: turns.isEmpty), for: client)
    }

    /// Passes an answer to a connection's session, if the connection still exists.
    func tell(_ connection: ConnectionID, _ answer: (inout ServerSession) -> [ServerEffect]) {
        guard let client = clients[connection] else { return }
        perform(answer(&client.session), for: client)
    }

    // MARK: - Effects

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
            if hasSent { following += client.session.unsentBytesChanged(to: client.connection.unsentBytes) }
            effects = following
        }
        clients.reckon(client, end: endBiggest)
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
        case .turn:
            turns.wait(id, of: client.share.account)
            askForTurns()
        case .enrol(let enrol):
            if let refusal = clients.refusalToEnrol(client) { return client.session.refuse(refusal) }
            requests.write(.enrol(enrol, device: client.device, from: id))
        case .enter(let group):
            // Otherwise the connection enters when all changes of other servers are read.
            if others?.follow(group, for: id) != false { return enter(group, client) }
        case .entered:
            takeGroup(client)
            // The client has accepted the welcome, so it knows of the announced key.
            if let key = client.entered?.told.pin.announcement(after: client.shownKey) {
                requests.write(.told(client.device, of: key))
            }
        case .close(let closing): close(client, closing)
        case .merge(let segment):
            if write(.merge(segment), for: client) { client.uploads.append(clock.steady()) }
        case .ask(let number, let request): write(.group(number, request), for: client)
        case .read(let replica, let seq, let bytes):
            if let name = groups.name(for: client) {
                requests.read(.events(replica, from: seq, bytes: bytes, name, to: id))
            }
        case .chains(let replica, let seqs):
            if let name = groups.name(for: client) { requests.read(.chains(replica, at: seqs, name, to: id)) }
        case .readEpochs(let epochs, let bytes):
            if let name = groups.name(for: client) {
                requests.read(.epochs(epochs, bytes: bytes, name, to: id))
            }
        }
        return []
    }

    /// Sends a member's request to the writer.
    ///
    /// - Returns: Whether the client is in a group.
    @discardableResult
    private func write(_ asked: MemberRequest.Asked, for client: Client) -> Bool {
        guard let group = client.group else { return false }
        requests.write(
            .member(MemberRequest(asked, by: client.device, in: group, from: client.connection.id)))
        return true
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

    // MARK: - Groups

    /// Lets a connection enter a group, for which it had to wait.
    func enter(_ group: GroupID, on connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        perform(enter(group, client), for: client)
    }

    /// Welcomes a client in a group. From this moment on its session receives every commit.
    private func enter(_ group: GroupID, _ client: Client) -> [ServerEffect] {
        // The session's information about the device may be out of date.
        guard groups.rosters.admits(client.device, to: group) else {
            return client.session.refuse(.otherGroup)
        }
        // The group exists, but its log is damaged.
        guard let feed = groups[group] else { return client.session.refuse(.unreadableLog) }
        let isNews = groups.enter(group, client, told: announced)
        if !client.isNew { requests.write(.endInvites(of: client.device)) }
        if isNews { announce(client.device, in: group) }
        let welcome = groups.welcome(client, to: feed, announced)
        if turns.welcomed(client.connection.id, to: group, work: welcome.entries) { askForTurns() }
        return client.session.entered(welcome, listed: feed.listing().listed)
    }

    /// Passes data from the store to a connection's session.
    func tellRead(_ connection: ConnectionID, _ answer: (inout ServerSession) -> [ServerEffect]) {
        readFor.append(connection)
        tell(connection, answer)
    }

    /// Passes on that the device of a connection has enrolled.
    func enrolled(_ enrolled: Enrolled, on connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        client.isNew = true
        // A known device may ask for another group; its connection is counted already.
        if clients.strangers.contains(connection), let refusal = count(client, in: enrolled.group) {
            return perform(client.session.refuse(refusal), for: client)
        }
        tell(connection) { $0.enrolled(enrolled) }
    }

    /// Records that the device accepts the group. If the group only listed it, the device belongs to the
    /// group from now on.
    private func takeGroup(_ client: Client) {
        guard let group = client.group else { return }
        client.takeGroup()
        guard !groups.rosters.isHome(group, of: client.device) else { return }
        requests.write(.prove(client.device, group, from: client.connection.id))
    }

    /// Tells the group that a device connected or disconnected.
    func announce(_ device: Digest, in group: GroupID) {
        guard let change = groups.presence(of: device, in: group) else { return }
        for client in groups.clients(in: group) where client.device != device {
            perform(client.session.presence([change]), for: client)
        }
    }

    /// Stops counting a connection that is over, or about to be, and removes it from its group.
    func endCount(of client: Client) {
        clients.discount(client)
        others?.stopFollowing(client.connection.id)
        guard let entered = client.leaveGroup() else { return }
        requests.read(.ended(client.connection.id))
        if groups.leave(entered, client) { announce(client.device, in: entered.group) }
    }

    // MARK: - Limits

    /// Counts a stranger's connection, and ends the connection that it displaces.
    func makeWay(for connection: any ClientConnection) {
        guard let leaving = clients.countStranger(connection) else { return }
        if let connection = clients.turnAway(leaving) {
            connection.abort()
        } else if let client = clients[leaving] {
            end(client, "too many unknown devices connect from this address")
        }
    }

    /// Counts a connection of a group's device. If the device has too many connections, its oldest one is
    /// ended, because that is most likely dead. If the group has too many, the device with the most
    /// connections loses its oldest one.
    ///
    /// - Returns: A refusal if the server has too many connections in total.
    private func count(_ client: Client, in group: GroupID) -> Refusal? {
        clients.endStranger(client.connection.id)
        if let oldest = clients.oldest(of: client.device) {
            end(oldest, "this laptop has too many connections at once")
        }
        if let oldest = clients.oldest(in: group, with: client.device) {
            end(oldest, "its group has too many connections, and this laptop has the most of them")
        }
        return clients.count(client, in: group)
    }

    /// Ends a connection because there are too many.
    private func end(_ client: Client, _ reason: String) {
        perform(client.session.refuse(Refusal(.rate, reason, retry: .after(.seconds(10)))), for: client)
        // The connection closes within a short time. Otherwise a client that reconnects repeatedly could hold
        // any number of ending connections.
        client.connection.close(within: ServerSessionDriver.goodbye)
    }

    /// Ends a connection because of the memory held for it.
    private func endBiggest(_ client: Client) {
        let isStuck = client.connection.unsentBytes > Limits.unsent
        clients.warnOfCrowd("memory", at: client.connection)
        perform(
            client.session.refuse(
                Refusal(.busy, "it has too much data in memory for this group", retry: .after(.seconds(10)))),
            for: client)
        // A client that doesn't receive data doesn't receive a goodbye either.
        if isStuck {
            client.connection.abort()
        } else {
            client.connection.close(within: ServerSessionDriver.goodbye)
        }
    }

    /// Counts the buffers of connections that were sent the reader's previous answers. Bytes of these that
    /// haven't gone out by now are stuck.
    func reckonReads() {
        for connection in exchange(&readFor, with: []) {
            guard let client = clients[connection] else { continue }
            client.countBuffers()
            clients.reckon(client, end: endBiggest)
        }
    }
}

// Turns on the network's thread, as in the writer and the reader: a group's messages and pushes delay other
// groups for at most one turn.
extension ServerSessionDriver {
    /// Whether a group still has news for its connections.
    var haveNews: Bool { turns.haveNews }

    /// Runs turns, unless a call of `takeTurns` is running or scheduled.
    func takeTurnsUnlessComing() {
        if !turns.areComing { takeTurns() }
    }

    /// Runs turns until the work of one go is done. If turns remain, `whenTurnsWait` asks for another call.
    func takeTurns() {
        turns.begin()
        var left = ServerSessionDriver.workAtOnce
        while left > 0, let turn = turns.next() {
            let work = handle(turn)
            turns.spent(work)
            left -= max(1, work)
        }
        turns.end()
        askForTurns()
    }

    /// Runs a turn.
    ///
    /// - Returns: The amount of work done.
    private func handle(_ turn: NetworkTurns.Turn) -> Int {
        switch turn {
        case .session(let connection):
            guard let client = clients[connection] else { return 0 }
            turns.beginSession()
            client.countBuffers()
            perform(client.session.beginTurn(), for: client)
            return Limits.turn - client.session.turnLeft + turns.endSession()
        case .owed(let work): return work  // Only a charge for earlier work.
        case .news(let news):
            guard var round = news.beginRound(with: { groups[news.group]?.connections ?? [] }) else {
                return 0
            }
            var work = 0
            while work < Limits.turn, let connection = round.next() {
                guard let client = clients[connection] else { continue }
                for item in round.items { tell(client, of: item, mayBeSent: true) }
                work += round.work
            }
            news.endRound(round)
            turns.told(news)
            return work
        }
    }

    /// Queues news for a group's connections. If too much news waits already, the connections' sessions read
    /// this item from the store later.
    func announce(_ item: GroupNews.Item, to feed: GroupFeed) {
        guard !feed.connections.isEmpty, !turns.announce(item, in: feed.group) else { return }
        for client in groups.clients(in: feed.group) { tell(client, of: item, mayBeSent: false) }
    }

    /// Passes an item to a connection's session.
    ///
    /// - Parameter mayBeSent: Whether the item may be sent as it is. Otherwise the session reads it from the
    ///   store later.
    private func tell(_ client: Client, of item: GroupNews.Item, mayBeSent: Bool) {
        switch item {
        case .commit(let push):
            perform(client.session.committed(push, mayBeSent: mayBeSent), for: client)
        case .epoch(let news, let connection):
            guard client.connection.id != connection else { return }
            perform(client.session.epoch(news, mayBeSent: mayBeSent), for: client)
        }
    }

    /// Calls `whenTurnsWait` if turns wait and no call of `takeTurns` is scheduled or running.
    private func askForTurns() {
        if turns.ask() { whenTurnsWait() }
    }
}

extension Welcome {
    /// The number of entries in the welcome's lists. Each takes about as much work as a message.
    fileprivate var entries: Int {
        vector.heads.count + roster.count + epochs.count + presence.count
    }
}
