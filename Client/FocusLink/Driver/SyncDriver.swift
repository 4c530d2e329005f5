package import FocusCore
package import FocusDevice
package import FocusStore
package import FocusSync

/// One connection to the server, from the first attempt to its end: executes the effects of its
/// `ClientSession`.
///
/// It is confined to one thread. It doesn't keep its observer alive, because the observer keeps the driver.
/// The last call to the observer is `ended`.
package final class SyncDriver {
    private let time: any Scheduler
    private let store: DeviceStore
    private let secrets: DeviceSecrets
    private let references: BackReferences
    private var observer: (any SyncObserver)? { references.observer }
    private var session: ClientSession
    private var effects = EffectQueue()
    /// The group's log; nil until the device is let into a group.
    private var group: SealedLog?
    private let connector: RouteConnector
    /// The timer for the session's next tick.
    private var wakeUp: (any Alarm)?
    private var replaying = ReplayLimiter()
    private let keyWork: GroupKeyWork
    private let writer: SelfWriter
    private var progress: SyncProgress
    /// The group's devices that were connected, and when each was last seen, as of the welcome.
    private var presence: [Presence] = []
    /// The group's devices in this device's store, and the devices that the server shuts out.
    private var listed = ListedDevices()

    /// Makes a connection to a server, which `start` opens.
    ///
    /// - Parameters:
    ///   - purpose: The purpose: to sync the group's log, or to be let into a group first.
    ///   - routes: The routes to the server, best first.
    ///   - secrets: The key with which the device proves its identity and opens the group's keys.
    ///   - pace: The delay before this device makes an epoch that is due.
    ///   - clock: The estimate of shared time so far.
    package init(
        _ purpose: Purpose, by routes: [Route], secrets: DeviceSecrets, pace: KeyRotation.Pace,
        store: DeviceStore, clock: ClockEstimate, time: any Scheduler, observer: any SyncObserver
    ) throws(StoreError) {
        self.time = time
        self.store = store
        self.secrets = secrets
        references = BackReferences(observer)
        connector = RouteConnector(routes, time: time, references)
        keyWork = GroupKeyWork(pace, store: store, secrets: secrets, time: time, references)
        writer = SelfWriter(store, secrets: secrets, references)
        progress = SyncProgress(store)
        let sessionPurpose: ClientSession.Purpose
        switch purpose {
        case .sync(let log):
            group = log
            try log.judge(with: secrets.key)
            sessionPurpose = .sync(try log.local())
        case .enrol(let enrol): sessionPurpose = .enrol(enrol)
        }
        session = ClientSession(
            sessionPurpose, clock: clock, program: "focus \(Lockstep.version)", now: time.now())
        references.driver = self
    }

    /// The purpose of a connection.
    package enum Purpose {
        case sync(SealedLog)
        /// To be let in with an invite, then to sync.
        case enrol(Enrol)
    }

    /// The identity that the device proves to the server.
    var identity: Digest { secrets.hash }

    /// Whether the device has merged everything that the server had at the beginning, and has acted on it.
    package var reachedWelcome: Bool { replaying.reachedWelcome }

    /// Whether the device has caught up, and has also replayed and acted on all later events.
    package var hasSettled: Bool { replaying.reachedWelcome && replaying.deadline == nil }

    /// The address of the server, for people; empty if there is no connection.
    var peerDescription: String { connector.peerDescription }

    /// Whether the server's welcome has arrived.
    package var isConnected: Bool { session.isConnected }

    /// Whether the server isn't sure of its clock, and so takes no events.
    package var isServerUnsure: Bool { session.isServerUnsure }

    /// The number of this device's events that the server hasn't acknowledged.
    package var unacknowledged: UInt64 { session.unacknowledged }

    /// Whether the group's newest key shuts all of these devices out.
    func keepsOut(_ devices: Set<Digest>) -> Bool { keyWork.rotation.keepsOut(devices) }

    /// Begins to connect, on the best route that is untried.
    package func start() { if let end = connector.connectNext(for: self) { finish(end) } }

    /// Sends events that were pressed or imported here.
    package func sendChanges() {
        process { (driver) throws(StoreError) in
            guard driver.group != nil else { return [] }
            // A command may have shut somebody out without reaching the server. If a replay is due, it will
            // find that.
            if driver.hasSettled { driver.keyWork.replayed(try driver.store.state()) }
            return try driver.announce()
        }
    }

    /// Leaves an invite with the server. The observer's `answered` follows.
    package func createInvite(_ request: InviteRequest) { process { $0.session.ask(.createInvite(request)) } }

    /// Whether the server shuts this device out, by its messages on this connection.
    func shutsOut(_ device: Digest) -> Bool { listed.shutOut.contains(device) }

    /// Asks the server to refuse this device's key from now on. The server then ends the connection.
    package func leaveGroup() { process { $0.session.ask(.revoke($0.identity)) } }

    /// Ends the connection in good order.
    package func leave() {
        process { $0.session.leave() }
        connector.giveUp { $0.close() }
        if connector.isOver { finish(.closed(.finished)) }
    }

    private func finish(_ end: SyncEnd) {
        wakeUp?.cancel()
        wakeUp = nil
        if replaying.isNeeded { group?.replayRest() }
        references.release()?.ended(end)
    }

    // MARK: - Events of the transport

    /// Uses this transport, which is the first to be open, and aborts the others. The server has proved that
    /// it holds the pinned key with the hash `key`.
    package func opened(_ transport: any SyncTransport, byServer key: Digest) {
        guard connector.opened(transport, serverKey: key) else { return }
        process { (driver) throws(StoreError) in
            try driver.progress.opened()
            // Another process may have stored records that this process hasn't opened.
            try driver.adopt()
            return driver.session.opened(driver.time.now(), with: try driver.group?.local())
        }
    }

    /// Passes bytes from the server to the session.
    package func received(_ bytes: [UInt8], on transport: any SyncTransport) {
        guard transport === connector.transport else { return }
        process { $0.session.received(bytes[...], at: $0.time.now()) }
        if session.isConnected { observer?.heard() }
    }

    /// Tells the session that most of a large amount of unsent data has gone out.
    package func drained() {
        process { driver in
            guard let transport = driver.connector.transport else { return [] }
            return driver.session.unsentBytesChanged(to: transport.unsentBytes)
        }
    }

    /// Handles the end of a transport, which reports nothing after this.
    package func closed(_ transport: any SyncTransport, _ transportEnd: TransportEnd) {
        if let end = connector.closed(transport, transportEnd, for: self) { finish(end) }
    }

    /// Schedules the session's next tick: at the session's deadline, or earlier if other work is due.
    private func scheduleWakeUp() {
        wakeUp?.cancel()
        let deadlines = [replaying.deadline, keyWork.deadline(at: time.now())].compactMap { $0 }
        var delay = session.nextDeadline.map { max(.zero, deadlines.reduce($0, min) - time.now()) }
        // A long replay continues after other work.
        if !effects.isEmpty { delay = .milliseconds(1) }
        guard let delay else { return }
        wakeUp = time.schedule(after: delay) { [references] in
            references.driver?.process { $0.session.tick($0.time.now()) }
        }
    }

    // MARK: - Execution of the session's effects

    /// Feeds the session and executes its effects until there are none left.
    private func process(_ feed: (SyncDriver) throws(StoreError) -> [ClientEffect]) {
        do throws(StoreError) {
            try append { () throws(StoreError) in try feed(self) }
            guard effects.startPerforming() else { return }
            defer { effects.endPerforming() }
            try performAll()
            try group?.releaseFreeSpace()
            scheduleWakeUp()
        } catch {
            effects.removeAll()
            connector.giveUp(because: SyncEnd(failing: .store(error))) { $0.abort() }
            return
        }
        if progress.endAcknowledging() { observer?.acknowledged() }
        guard session.isConnected, replaying.reachedWelcome, !keyWork.rotation.isOpen else { return }
        observer?.keyDidSettle()
        if session.isIdle { observer?.becameIdle(progress.traffic) }
    }

    private func performAll() throws(StoreError) {
        while true {
            if effects.isEmpty, let unsent = connector.unsentOfLatest() {
                effects.append(session.unsentBytesChanged(to: unsent))
            }
            if effects.isEmpty, replaying.isDue(at: time.now()) { try append(replay) }
            if effects.isEmpty { try append(workOnKey) }
            if effects.isCatchUpNext, try !replaySlice(), session.isConnected { return }
            guard let effect = effects.popFirst() else { return }
            try append { () throws(StoreError) in try perform(effect) }
        }
    }

    /// Appends the effects of `body`, which runs on behalf of the connection's group. If a command has left
    /// the group meanwhile, a write throws instead of reaching the log that the device has now.
    private func append(_ body: () throws(StoreError) -> [ClientEffect]) throws(StoreError) {
        guard let group else { return effects.append(try body()) }
        effects.append(try store.writing(for: group.group, body))
    }

    private func perform(_ effect: ClientEffect) throws(StoreError) -> [ClientEffect] {
        switch effect {
        case .send(let bytes): connector.send(bytes)
        case .enrolled(let enrolled):
            guard let log = try observer?.enrolled(enrolled) else { return [] }
            group = log
            try adopt()
            return session.joined(try log.local())
        case .connected(let welcome): return try handle(welcome)
        case .caughtUp:
            replaying.catchUpEnded()
            keyWork.changed()
            guard let group else { return [] }
            try writer.returned(presence, at: sharedNow)
            return session.returned(try group.vector(), at: time.now())
        case .merge(let segment): return try merge(segment)
        case .read(let replica, let from, let bytes):
            let segment = try group?.segment(of: replica, from: from, bytes: bytes)
            return session.loaded(replica, segment)
        case .chains(let replica, let seqs):
            return session.chains(replica, try group?.chains(of: replica, at: seqs) ?? [])
        case .moveBranch(let replica, let from):
            guard let group else { return [] }
            let move = try group.moveBranch(of: replica, from: from)
            for notice in SyncNotice.notices(of: move) { observer?.notice(notice) }
            if move != .tailChanged { observer?.notifyViews() }
            return session.moved(replica, try group.vector())
        case .reauthor(let reauthoring):
            guard let group else { return [] }
            // Sent events are brought back first, because unsent events may name them.
            _ = try bringBackOwn()
            try writer.reauthor(reauthoring, at: sharedNow)
            return session.reauthored(try group.vector())
        case .acknowledged(let replica, let seq): try progress.acknowledge(replica, through: seq)
        case .stopped(let replica, let stop):
            if stop.code == .unknownEpoch, let named = try nameEpochs(refusedOf: replica) { return named }
            if try progress.stopped(stop.code, of: replica) { observer?.notice(.stopped(stop.code)) }
        case .clock:
            observer?.clockLearnt(session.clock)
            return try announce(reachedWelcome ? bringBackOwn() : false)
        case .clockJumped(let jump): observer?.notice(.clockJumped(by: jump))
        case .clockNotSure:
            if try progress.stopped(.clockNotSure) { observer?.notice(.clockNotSure) }
        case .presence(let presence):
            try listed.add(presence, to: store, at: sharedNow)
            observer?.presenceChanged(presence)
        case .revoked(let device): try keepOut([device] + effects.popRevoked())
        case .answered(.revoke(let device), nil): try keepOut([device])
        case .answered(let request, nil): observer?.answered(request, nil)
        case .answered(let request, let refusal?):
            let next = try keyWork.refused(request, refusal) { () throws(StoreError) in try nameEpochs() }
            if let next { return next }
            observer?.answered(request, refusal)
        case .epoch(let record):
            guard let group else { return [] }
            try keyWork.received(record, group)
            // A laptop that was away receives many at once. They are processed together after the last.
            if !effects.isEpochNext { try adopt(ifDue: true) }
        case .close(.excess(let excess)):
            connector.giveUp(because: .excess(excess, by: connector.peerDescription)) { $0.close() }
        case .close(let closing): connector.giveUp(because: .closed(closing)) { $0.close() }
        }
        return []
    }

    private func handle(_ welcome: Welcome) throws(StoreError) -> [ClientEffect] {
        listed = try ListedDevices(welcome.roster, replacing: store, own: identity, at: sharedNow)
        try store.atomically { () throws(StoreError) in
            try writer.recordOfflineWork(before: welcome, at: sharedNow)
            try progress.correctAcknowledged(by: welcome.vector)
        }
        // Before the device sends anything that tells the server that it knows the announced key.
        if let key = connector.serverKey {
            try store.learnServer(from: welcome, showing: key, at: peerDescription)
        }
        try progress.welcomed()
        presence = welcome.presence
        observer?.connected(presence)
        return try announce(group?.removeMadeUp(besides: welcome) ?? false)
    }

    /// Records that the server shuts these devices out.
    private func keepOut(_ devices: [Digest]) throws(StoreError) {
        if try listed.revoke(devices, in: store, at: sharedNow) { keyWork.changed() }
        for device in devices { observer?.answered(.revoke(device), nil) }
    }

    private func merge(_ segment: Segment) throws(StoreError) -> [ClientEffect] {
        guard let group else { return [] }
        // If nothing else arrived with this segment, it is merged and replayed in one commit.
        let isAlone = effects.isEmpty && replaying.mayReplay(at: time.now())
        let stopwatch = time.stopwatch()
        let merged = try group.merge(segment, at: sharedNow, replaying: isAlone)
        let duration = stopwatch()
        progress.merged(merged.count)
        if merged.count > 0 { replaying.merged() }
        if merged.tookFreshReplica { observer?.notice(.cloned) }
        if !merged.damagedBy.isEmpty { observer?.notice(.damaged(by: merged.damagedBy)) }
        if merged.lacksRoom, progress.recordExcess(of: segment.replica) {
            observer?.notice(.unreadableExcess(by: connector.peerDescription))
        }
        let asked = session.merged(segment.replica, head: merged.head, stop: merged.stop)
        guard let state = merged.state else { return asked }
        return try asked + replayed(state, taking: duration)
    }

    /// Replays a slice of the events that were merged while the device caught up. Returns whether it was the last;
    /// otherwise another turn continues, unless the session has ended.
    private func replaySlice() throws(StoreError) -> Bool {
        let stopwatch = time.stopwatch()
        guard let slice = try group?.replayNextSlice() else { return true }
        if slice.isAtEnd { _ = try replayed(slice.state, taking: stopwatch()) }
        return slice.isAtEnd
    }

    /// Replays all merged events, once for a batch that arrived together.
    private func replay() throws(StoreError) -> [ClientEffect] {
        let stopwatch = time.stopwatch()
        let state = try store.replay()
        return try replayed(state, taking: stopwatch())
    }

    /// Handles the state that a replay of all merged events found in `span`.
    private func replayed(_ state: ReplayState, taking span: Duration) throws(StoreError) -> [ClientEffect] {
        replaying.replayed(at: time.now(), taking: span)
        observer?.notifyViews()
        keyWork.replayed(state)
        guard replaying.reachedWelcome else { return [] }
        return try announce(writer.endSideRuns(of: state, at: sharedNow))
            + announce(writer.nameItself(in: state, at: sharedNow))
    }

    /// Tells the session what the log has now, if anything changed.
    private func announce(_ hasChanged: Bool = true) throws(StoreError) -> [ClientEffect] {
        guard hasChanged, let group else { return [] }
        return session.localLogChanged(to: try group.vector())
    }

    /// Brings back this device's early events if its clock agrees with the server's time. If the two
    /// disagree, the server's clock may be slow, and a person has to decide.
    private func bringBackOwn() throws(StoreError) -> Bool {
        guard session.clock.agreesWithWall else { return false }
        return try writer.bringBackOwn(error: session.clockError, at: sharedNow)
    }

    /// The present instant, in shared time.
    private var sharedNow: SharedInstant { session.clock.shared(time.now()).instant }

    /// Opens the epochs and events that can be opened now; with `ifDue`, only if records have arrived and the
    /// limiter allows work. If that shows that another connection is needed, this one ends.
    private func adopt(ifDue: Bool = false) throws(StoreError) {
        guard let group, !ifDue || !session.awaitsEpochs else { return }
        try ifDue ? keyWork.adoptWhenDue(group) : keyWork.adopt(group)
        if keyWork.rotation.needsAnotherConnection { effects.append(session.leave()) }
    }

    /// Does the work on the group's key that is due.
    private func workOnKey() throws(StoreError) -> [ClientEffect] {
        try adopt(ifDue: true)
        guard session.isConnected, let group else { return [] }
        let requests = try keyWork.review(
            group, reachedWelcome: reachedWelcome, shutOut: listed.shutOut, at: sharedNow)
        let asked = requests.flatMap { session.ask($0) }
        // The review may have opened epochs, too.
        if keyWork.rotation.needsAnotherConnection { effects.append(session.leave()) }
        return asked
    }

    /// Sends the server the ids of epochs that have no record here and that it may lack, each id once. A server
    /// to which the group was brought again lacks them.
    ///
    /// - Parameter replica: The replica with the events that the server refuses.
    /// - Returns: The resulting effects; nil if all these ids were sent before.
    private func nameEpochs(refusedOf replica: ReplicaID? = nil) throws(StoreError) -> [ClientEffect]? {
        guard let group else { return nil }
        return session.sendMissingRecords(try group.namesOfKnown(refusedOf: replica))
    }
}
