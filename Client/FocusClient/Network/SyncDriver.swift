package import FocusCore
package import FocusNet
package import FocusStore
package import FocusSync

/// One connection to the server, from connecting to its end: carries out what its `ClientSession` asks for.
///
/// It lives on its loop's thread. Its observer is told what happens, `ended` last.
package final class SyncDriver: ConnectionHandler {
    private let loop: EventLoop
    private let context: TLSContext
    private let pin: KeyHash
    private let store: DeviceStore
    private unowned let observer: any SyncObserver
    private var session: ClientSession
    private var group: GroupLog?
    private var endpoints: [Endpoint]
    private var connection: Connection?
    private var wakeUp: LoopTimer?
    private var settleTimer: LoopTimer?
    private var effects: [ClientEffect] = []
    private var isCarryingOut = false
    private var settling = Settling()
    private var traffic = SyncTraffic()
    /// Why the connection is being given up; the first reason counts.
    private var end: SyncEnd?
    private var hasOpened = false

    /// A connection to be made to a server.
    ///
    /// - Parameters:
    ///   - purpose: to sync the group's log, or to be let into a group first.
    ///   - clock: the estimate of shared time so far.
    package init(
        _ purpose: Purpose, server: ServerAddress, context: TLSContext, store: DeviceStore,
        clock: ClockEstimate,
        on loop: EventLoop, observer: any SyncObserver
    ) throws {
        guard let pin = KeyHash(server.key.bytes) else { throw SyncEnd.failed("the pinned key is malformed") }
        self.loop = loop
        self.context = context
        self.pin = pin
        self.store = store
        self.observer = observer
        endpoints = server.endpoints
        let sessionPurpose: ClientSession.Purpose
        switch purpose {
        case .sync(let log):
            group = log
            sessionPurpose = .sync(try log.local())
        case .enrol(let enrol): sessionPurpose = .enrol(enrol)
        }
        session = ClientSession(
            sessionPurpose, clock: clock, program: "focus \(Lockstep.version)",
            now: SystemClock.microsecondsSinceBoot())
    }

    /// What a connection is for.
    package enum Purpose {
        case sync(GroupLog)
        /// To be let in with an invite, then to sync.
        case enrol(Enrol)
    }

    /// Begins to connect, to one address after the other.
    package func start() { connectNext(after: "no address is known") }

    /// Whether the server's welcome has arrived.
    package var isConnected: Bool { session.isConnected }

    /// How many of the device's events the server isn't known to have.
    package var unacknowledged: UInt64 { session.unacknowledged }

    /// Something was pressed or imported here: it is sent.
    package func logChanged() {
        carryOut { driver in
            guard let group = driver.group else { return [] }
            return driver.session.logChanged(try group.vector())
        }
    }

    /// Leaves an invite with the server; `answered` follows.
    package func createInvite(_ request: InviteRequest) {
        carryOut { $0.session.createInvite(request) }
    }

    /// Keeps a device out of the group; `answered` follows.
    package func revoke(_ device: Digest) { carryOut { $0.session.revoke(device) } }

    /// Ends the connection in good order.
    package func leave() {
        carryOut { $0.session.leave() }
        connection?.close()
        if connection == nil { finish(.closed(.finished)) }
    }

    private func connectNext(after problem: String) {
        guard !endpoints.isEmpty else { return finish(.unreachable(problem)) }
        let endpoint = endpoints.removeFirst()
        connection = Connection.connect(
            to: endpoint, over: .tls(context, pin: pin), on: loop, handler: self)
    }

    private func finish(_ end: SyncEnd) {
        wakeUp?.cancel()
        wakeUp = nil
        settleTimer?.cancel()
        settleTimer = nil
        observer.ended(end)
    }
}

// MARK: - The connection

extension SyncDriver {
    package func opened(_ connection: Connection, peer: KeyHash?) {
        hasOpened = true
        carryOut { $0.session.opened(SystemClock.microsecondsSinceBoot()) }
    }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        let copy = bytes.withUnsafeBytes { Array($0) }
        carryOut { $0.session.received(copy[...], at: SystemClock.microsecondsSinceBoot()) }
        if session.isConnected { observer.heard() }
    }

    package func writable(_ connection: Connection) {}

    package func closed(_ connection: Connection, error: NetError?) {
        self.connection = nil
        if let end { return finish(end) }
        switch error?.code {
        case .pinMismatch: finish(.otherServer(connection.peerDescription))
        case nil: finish(.broken("the server closed the connection"))
        case _ where !hasOpened: connectNext(after: error?.context ?? "no connection")
        case _: finish(.broken(error?.context ?? "the connection broke"))
        }
    }

    private func scheduleWakeUp() {
        wakeUp?.cancel()
        wakeUp = nil
        guard let deadline = session.nextDeadline else { return }
        let delay = max(0, deadline - SystemClock.microsecondsSinceBoot())
        wakeUp = loop.schedule(after: .microseconds(delay)) { [weak self] in
            self?.carryOut { $0.session.tick(SystemClock.microsecondsSinceBoot()) }
        }
    }
}

// MARK: - Carrying out

extension SyncDriver {
    /// Sees to it that what was merged is replayed, though not at once.
    private func scheduleSettling() {
        guard let delay = settling.delay, settleTimer == nil else { return }
        settleTimer = loop.schedule(after: delay) { [weak self] in
            self?.carryOut { driver in
                try driver.settle()
                return []
            }
        }
    }

    /// Feeds the session and carries out what it asks for, until it asks for nothing more.
    private func carryOut(_ feed: (SyncDriver) throws -> [ClientEffect]) {
        do {
            effects += try feed(self)
            guard !isCarryingOut else { return }
            isCarryingOut = true
            defer { isCarryingOut = false }
            while !effects.isEmpty {
                let effect = effects.removeFirst()
                effects += try carryOut(effect)
                if effects.isEmpty, settling.isDue { try settle() }
            }
            scheduleWakeUp()
            scheduleSettling()
            if session.isSettled { observer.settled(traffic) }
        } catch {
            effects = []
            end = end ?? .failed("\(error)")
            connection?.abort()
        }
    }

    /// Brings replay up to what was merged, once for all that came together.
    private func settle() throws {
        settleTimer?.cancel()
        settleTimer = nil
        try settling.measure { _ = try store.settle() }
        observer.logChanged()
    }

    private func carryOut(_ effect: ClientEffect) throws -> [ClientEffect] {
        switch effect {
        case .send(let bytes): connection?.send(bytes)
        case .enrolled(let enrolled):
            let log = try observer.enrolled(enrolled)
            group = log
            return session.joined(try log.local())
        case .connected(let welcome): try take(welcome)
        case .caughtUp:
            try settle()
            settling.catchUpEnded()
            return session.returned(try returned(), at: SystemClock.microsecondsSinceBoot())
        case .merge(let segment): return try merge(segment)
        case .read(let replica, let from, let bytes):
            let segment = try group?.segment(of: replica, from: from, bytes: bytes)
            return session.loaded(replica, segment)
        case .chains(let replica, let seqs):
            return session.chains(replica, try group?.chains(of: replica, at: seqs) ?? [])
        case .moveBranch(let replica, let from): return try moveBranch(of: replica, from: from)
        case .reauthor(let reauthoring): return try reauthor(reauthoring)
        case .acknowledged(let replica, let seq): try acknowledge(replica, through: seq)
        case .stopped(_, let stop): observer.notice(.stopped(stop.code))
        case .clock: observer.clockLearnt(session.clock)
        case .clockJumped(let jump): observer.notice(.clockJumped(seconds: jump / 1_000_000))
        case .clockNotSure: observer.notice(.clockNotSure)
        case .presence(let presence): observer.presenceChanged(presence)
        case .revoked(let device):
            try store.keep([StoredDevice(key: device, isRevoked: true)])
            observer.answered(device, nil)
        case .inviteCreated(let token): observer.answered(token, nil)
        case .refused(let subject, let refusal): observer.answered(subject, refusal)
        case .epoch(let record):
            try store.keep(
                StoredEpochRecord(id: record.epoch, predecessor: record.predecessor, body: record.body))
        case .close(let closing):
            end = end ?? .closed(closing)
            connection?.close()
        }
        return []
    }

    private func take(_ welcome: Welcome) throws {
        try store.keep(welcome.roster.map { StoredDevice(key: $0.device, isRevoked: $0.isRevoked) })
        // A restored server has less than before; what it has is acknowledged as the session finds it equal.
        var seqs: [ReplicaID: UInt64] = [:]
        for replica in try store.replicas() {
            seqs[replica.id] = min(replica.acknowledged, welcome.vector[replica.id].seq)
        }
        try store.setAcknowledged(seqs)
        observer.connected(welcome.presence)
    }

    private func merge(_ segment: Segment) throws -> [ClientEffect] {
        guard let merged = try group?.merge(segment) else { return [] }
        traffic.received += UInt64(merged.count)
        if merged.count > 0 { settling.merged() }
        if merged.tookFreshReplica { observer.notice(.cloned) }
        return session.merged(segment.replica, head: merged.head, stop: merged.stop)
    }

    private func acknowledge(_ replica: ReplicaID, through seq: UInt64) throws {
        let before = try store.replica(replica)?.acknowledged ?? 0
        try store.acknowledge(replica, through: seq)
        traffic.sent += seq > before ? seq - before : 0
    }

    private func moveBranch(of replica: ReplicaID, from seq: UInt64) throws -> [ClientEffect] {
        guard let group else { return [] }
        observer.notice(.branchMoved(count: try group.moveBranch(of: replica, from: seq)))
        observer.logChanged()
        return session.moved(replica, try group.vector())
    }

    private func reauthor(_ reauthoring: Reauthoring) throws -> [ClientEffect] {
        guard let group else { return [] }
        let events = try store.reauthor(
            beyond: reauthoring.beyond, limit: reauthoring.limit, error: reauthoring.error, now: sharedNow)
        if !events.isEmpty {
            observer.notice(.reauthored(count: events.count))
            observer.logChanged()
        }
        return session.reauthored(try group.vector())
    }

    /// Shared time, in milliseconds since the Unix epoch.
    private var sharedNow: Int64 { session.clock.shared(SystemClock.microsecondsSinceBoot()) / 1000 }

    /// Does what a device does by itself on returning (docs/timer-rules.md §5), and gives what the log has then.
    private func returned() throws -> VersionVector {
        guard let group else { return VersionVector() }
        let own = Set(try store.ownReplicas())
        let now = sharedNow
        let (returning, events) = try store.author(now: now) { authoring in
            let returning = try Returning(
                log: store, state: authoring.state, own: own, pending: try store.pendingOwnEvents(), at: now)
            for action in returning.actions { try authoring.write(action) }
            return returning
        }
        if !returning.deeds.isEmpty {
            observer.notice(.returned(returning.deeds.map(SyncNotice.Returned.init)))
        }
        if !events.isEmpty { observer.logChanged() }
        return try group.vector()
    }
}

extension SyncNotice.Returned {
    fileprivate init(_ deed: Returning.Deed) {
        switch deed {
        case .stoppedOwn: self = .stoppedOwn
        case .adopted: self = .adopted
        case .tookBack: self = .tookBack
        case .setAnew(let key, _): self = .setAnew(key)
        }
    }
}
