import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync

// Execution of the session's effects.
extension SyncDriver {
    /// Feeds the session and executes its effects until there are none left.
    func process(_ feed: (SyncDriver) throws -> [ClientEffect]) {
        do {
            append(try forGroup { try feed(self) })
            guard !isPerforming else { return }
            try performAll()
            try group?.releaseFreeSpace()
            scheduleWakeUp()
        } catch {
            effects = Fifo()
            end = end ?? SyncEnd(failing: error)
            endAttempts { $0.abort() }
            return
        }
        if hasAcknowledged {
            hasAcknowledged = false
            observer?.acknowledged()
        }
        guard session.isConnected, replaying.reachedWelcome, !rotation.isOpen else { return }
        observer?.keyDidSettle()
        if session.isIdle { observer?.becameIdle(traffic) }
    }

    private func performAll() throws {
        isPerforming = true
        defer { isPerforming = false }
        while true {
            if effects.isEmpty, hasSent, let transport = route.transport {
                hasSent = false
                append(session.unsent(transport.unsentBytes))
            }
            if effects.isEmpty, replaying.isDue(at: time.now()) { append(try forGroup { try replay() }) }
            if effects.isEmpty { append(try forGroup { try workOnKey() }) }
            guard let effect = effects.popFirst() else { return }
            append(try forGroup { try perform(effect) })
        }
    }

    func append(_ effects: [ClientEffect]) { for effect in effects { self.effects.append(effect) } }

    /// Runs `body` on behalf of the connection's group. If a command has left the group meanwhile, a write
    /// throws instead of reaching the log that the device has now.
    private func forGroup<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let group else { return try body() }
        return try store.writing(for: group.group, body)
    }

    /// Replays all merged events, once for a batch that arrived together.
    private func replay() throws -> [ClientEffect] {
        let (state, duration) = try time.measure { try store.replay() }
        return try replayed(state, taking: duration)
    }

    /// Handles the state after a replay of all merged events.
    ///
    /// - Parameters:
    ///   - state: The state that the replay found.
    ///   - duration: The time that the replay took.
    private func replayed(_ state: ReplayState, taking duration: Duration) throws -> [ClientEffect] {
        replaying.replayed(at: time.now(), taking: duration)
        observer?.notifyViews()
        rotation.replayed(state)
        return replaying.reachedWelcome ? try endSideRuns(of: state) + nameItself(in: state) : []
    }

    private func perform(_ effect: ClientEffect) throws -> [ClientEffect] {
        switch effect {
        case .send(let bytes):
            route.transport?.send(bytes)
            hasSent = true
        case .enrolled(let enrolled):
            guard let log = try observer?.enrolled(enrolled) else { return [] }
            group = log
            try adopt()
            return session.joined(try log.local())
        case .connected(let welcome): return try handle(welcome)
        case .caughtUp:
            _ = try replay()
            replaying.catchUpEnded()
            rotation.changed()
            guard let vector = try returned() else { return [] }
            return session.returned(vector, at: time.now())
        case .merge(let segment): return try merge(segment)
        case .read(let replica, let from, let bytes):
            let segment = try group?.segment(of: replica, from: from, bytes: bytes)
            return session.loaded(replica, segment)
        case .chains(let replica, let seqs):
            return session.chains(replica, try group?.chains(of: replica, at: seqs) ?? [])
        case .moveBranch(let replica, let from): return try moveBranch(of: replica, from: from)
        case .reauthor(let reauthoring): return try reauthor(reauthoring)
        case .acknowledged(let replica, let seq): try acknowledge(replica, through: seq)
        case .stopped(let replica, let stop):
            if stop.code == .unknownEpoch, let named = try nameEpochs(refusedOf: replica) { return named }
            // People were told about the excess when the segment was merged.
            if stop.code == .groupFull, hasToldOfExcess { return [] }
            try record(stop.code)
            observer?.notice(.stopped(stop.code))
        case .clock:
            observer?.clockLearnt(session.clock)
            guard reachedWelcome, let group, try bringBackOwn() else { return [] }
            return session.localLogChanged(to: try group.vector())
        case .clockJumped(let jump): observer?.notice(.clockJumped(by: jump))
        case .clockNotSure:
            try record(.clockNotSure)
            observer?.notice(.clockNotSure)
        case .presence(let presence):
            try listed.add(presence, to: store, at: sharedNow)
            observer?.presenceChanged(presence)
        case .revoked(let device):
            var devices = [device]
            while case .revoked(let next)? = effects.first {
                devices.append(next)
                _ = effects.popFirst()
            }
            try keepOut(devices)
        case .answered(.revoke(let device), nil): try keepOut([device])
        case .answered(let request, nil): observer?.answered(request, nil)
        case .answered(let request, let refusal?):
            if let next = try handleRefusal(request, refusal) { return next }
            if !told.refused(request, refusal, at: time.now()) { observer?.answered(request, refusal) }
        case .epoch(let record): try handle(record)
        case .close(let closing):
            end = end ?? self.end(of: closing)
            endAttempts { $0.close() }
        }
        return []
    }

    private func handle(_ welcome: Welcome) throws -> [ClientEffect] {
        listed = try ListedDevices(
            welcome.roster, replacing: store, own: secrets.hash, at: sharedNow)
        keptOut = Set(welcome.roster.filter(\.isRevoked).map(\.device))
        try store.atomically {
            try recordShown(before: welcome)
            try store.setAcknowledged(acknowledged.welcomed(by: welcome.vector, store.replicas()))
        }
        try learnKeys(from: welcome)
        if try store.value(.obstacle) != nil { try store.setValue(nil, for: .obstacle) }
        // The server may still refuse the pending events. A connection that sends nothing doesn't find out.
        isStopped = try store.value(.stop) != nil
        if isStopped, try store.pendingCount() == 0 { try endStop() }
        presence = welcome.presence
        observer?.connected(presence)
        guard let group, try group.removeMadeUp(besides: welcome) else { return [] }
        return session.localLogChanged(to: try group.vector())
    }

    /// Stores the key that the server has and the next key that it announces. This is done before the device
    /// sends anything from which the server could conclude that the device knows the announced key.
    private func learnKeys(from welcome: Welcome) throws {
        guard let shownKey = route.shownKey else { return }
        try store.atomically {
            guard let pin = try store.serverPin() else { return }
            let learnt = pin.welcomed(by: shownKey, announcing: welcome.nextServerKey)
            if learnt != pin { try store.setServerPin(learnt) }
        }
    }

    private func merge(_ segment: Segment) throws -> [ClientEffect] {
        guard let group else { return [] }
        // If nothing else arrived with this segment, it is merged and replayed in one commit.
        let isAlone = effects.isEmpty && replaying.mayReplay(at: time.now())
        let (merged, duration) = try time.measure {
            try group.merge(segment, at: sharedNow, replaying: isAlone)
        }
        traffic.received += UInt64(merged.count)
        if merged.count > 0 { replaying.merged() }
        if merged.tookFreshReplica { observer?.notice(.cloned) }
        tell(ofDamage: merged.damagedBy)
        if merged.lacksRoom { tellOfExcess() }
        let asked = session.merged(segment.replica, head: merged.head, stop: merged.stop)
        guard let state = merged.state else { return asked }
        return try asked + replayed(state, taking: duration)
    }

    /// Records in one commit that the server shuts these devices out.
    private func keepOut(_ devices: [Digest]) throws {
        let areNew = try store.atomically {
            try devices.map { try listed.revoke($0, in: store, at: sharedNow) }.contains(true)
        }
        if areNew { rotation.changed() }
        keptOut.formUnion(devices)
        for device in devices { observer?.answered(.revoke(device), nil) }
    }

    /// Records why the server takes no events. `.rate` isn't recorded, because then the server takes them
    /// gradually.
    private func record(_ stop: RefusalCode) throws {
        guard stop != .rate else { return }
        isStopped = true
        try store.setValue([stop.rawValue], for: .stop)
    }

    private func endStop() throws {
        isStopped = false
        try store.setValue(nil, for: .stop)
    }

    private func acknowledge(_ replica: ReplicaID, through seq: UInt64) throws {
        let before = try store.replica(replica)?.acknowledged ?? 0
        try store.acknowledge(replica, through: seq)
        hasAcknowledged = true
        if isStopped { try endStop() }
        traffic.sent += seq > before ? seq - before : 0
    }

    /// Notifies the person that the log has damaged events of these devices, which had none before.
    func tell(ofDamage names: [String]) {
        if !names.isEmpty { observer?.notice(.damaged(by: names)) }
    }

    private func moveBranch(of replica: ReplicaID, from first: Head) throws -> [ClientEffect] {
        guard let group else { return [] }
        switch try group.moveBranch(of: replica, from: first) {
        case .tailChanged: break
        case .movedPartly(let events, let aside):
            observer?.notice(.putAside(count: aside))
            if !events.isEmpty { observer?.notice(.branchMoved(count: events.count)) }
            observer?.notifyViews()
        case .moved(let events):
            observer?.notice(.branchMoved(count: events.count))
            observer?.notifyViews()
        }
        return session.moved(replica, try group.vector())
    }

    private func reauthor(_ reauthoring: Reauthoring) throws -> [ClientEffect] {
        guard let group else { return [] }
        // Sent events are brought back first, because unsent events may name them.
        try bringBackOwn()
        let events = try store.reauthor(
            beyond: reauthoring.beyond, limit: reauthoring.limit,
            error: reauthoring.error, now: sharedNow)
        tell(ofReauthored: events)
        return session.reauthored(try group.vector())
    }

    /// Brings back this device's early events, if a server has any of them and its time agrees with the
    /// laptop's clock. If the two disagree, the server's clock may be slow, and a person has to decide.
    ///
    /// - Returns: Whether any event was brought back.
    @discardableResult
    private func bringBackOwn() throws -> Bool {
        guard session.clock.agreesWithWall else { return false }
        try store.updateCounted(at: sharedNow)
        guard let early = try store.earlyEvents(), early.own > 0 else { return false }
        let done = try store.bringBack(.own(error: session.clockError), at: sharedNow)
        tell(ofReauthored: done.written)
        return !done.isEmpty
    }

    private func tell(ofReauthored events: [Event]) {
        guard !events.isEmpty else { return }
        observer?.notice(.reauthored(count: events.count))
        observer?.notifyViews()
    }

    /// The present instant, in shared time.
    var sharedNow: SharedInstant { session.clock.shared(time.now()).instant }
}

extension SyncDriver {
    /// Writes this device's public key into the log unless the log has it. Other devices wrap the group's
    /// keys for it.
    func showKey(in authoring: inout AuthoringTransaction) throws {
        let own = try readableReplicas()
        guard let known = authoring.state.devices[authoring.replica] else {
            if !isNamed(in: authoring.state, own) { try authoring.introduceFreshReplica() }
            return
        }
        let (key, publicKey) = (secrets.hash, secrets.key.publicKey.bytes)
        guard known.key != key || known.publicKey != publicKey else { return }
        try authoring.write(.device(name: known.name, key: key.hexadecimal, publicKey: publicKey))
    }

    /// Whether the log names this device's key under one of the replicas `own`. A malicious member may have
    /// overwritten that entry. Then this device continues under a fresh replica, which the log doesn't name
    /// yet.
    private func isNamed(in state: ReplayState, _ own: Set<ReplicaID>) -> Bool {
        let (key, publicKey) = (secrets.hash, secrets.key.publicKey.bytes)
        return own.contains { replica in
            guard let device = state.devices[replica] else { return false }
            return device.key == key && device.publicKey == publicKey
        }
    }

    /// Returns this device's replicas, except replicas with unreadable events. Somebody else wrote such an
    /// event, and devices that can read it may learn from it that the replica belongs to another device.
    private func readableReplicas() throws -> Set<ReplicaID> {
        try Set(store.ownReplicas()).subtracting(store.sealedReplicas())
    }

    /// Writes this device's name and key into the log again if the log no longer has them.
    private func nameItself(in state: ReplayState) throws -> [ClientEffect] {
        guard let group, !isNamed(in: state, try readableReplicas()) else { return [] }
        let (_, events) = try store.author(now: sharedNow) { try showKey(in: &$0) }
        guard !events.isEmpty else { return [] }
        observer?.notifyViews()
        return session.localLogChanged(to: try group.vector())
    }
}
