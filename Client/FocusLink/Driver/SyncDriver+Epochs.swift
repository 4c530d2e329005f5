import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import FocusText

// The group's key: opening epochs, and changing the key (docs/protocol.md, "Epochs and revocations").
extension SyncDriver {
    /// Opens the epochs and events that can be opened now.
    func adopt() throws {
        guard let group else { return }
        let adoption = try group.adopt(with: secrets.key)
        tell(ofDamage: adoption.damagedBy)
        if adoption.opened > 0 || adoption.isNew { observer?.notifyViews() }
        if let bad = rotation.adopted(adoption.ring) { observer?.notice(.badEpochs(count: bad)) }
        if rotation.needsAnotherConnection { append(session.leave()) }
    }

    /// Notifies the person which devices lost access since the last announced epoch, and which are in the
    /// group for the first time. The names come from the log, so the log must be up to date.
    private func tellOfKey(_ ring: KeyRing, _ newest: EpochID) throws {
        let told = try store.atomically { () -> EpochID? in
            let kept = try store.text(.toldEpoch)
            if kept != newest.text { try store.setText(newest.text, for: .toldEpoch) }
            return kept.flatMap(EpochID.init(text:))
        }
        guard let told, told != newest else { return }
        let called = try DeviceNames(store)
        let kept = Set(ring.body(of: told)?.revoked ?? [])
        let names = (ring.body(of: newest)?.revoked ?? []).filter { !kept.contains($0) }
            .map { called[$0].short }
        if !names.isEmpty { observer?.notice(.keyChanged(without: names.sorted())) }
        let named = Set(try store.state().devices.values.compactMap(\.key))
        let newcomers = ring.newcomers(since: told, named: named).subtracting([secrets.hash])
        if !newcomers.isEmpty {
            var kept = try Newcomers(store)
            try kept.add(newcomers, at: sharedNow, store)
            observer?.notice(.newcomers(newcomers.map { called[$0].full }.sorted()))
        }
    }

    /// Notifies the person, once, of the latecomers that wait to be accepted.
    private func tellOfLatecomers(_ ring: KeyRing, _ group: SealedLog) throws {
        let late = try group.replaceStandings(ring)
        guard !late.isEmpty else { return }
        let called = try DeviceNames(store)
        observer?.notice(.latecomers(late.map { called[$0].full }.sorted()))
        observer?.notifyViews()
    }

    /// Stores an epoch's record that arrived.
    func handle(_ record: EpochRecord) throws {
        try group?.add(record)
        if rotation.received(record) { try group?.believe(record.body) }
        keyPacing.received()
        // A laptop that was away for long receives many at once. They are processed together after the last.
        if case .epoch? = effects.first { return }
        try adoptWhenDue()
    }

    /// Opens the epochs and events for which records have arrived, if the limiter allows work now.
    private func adoptWhenDue() throws {
        guard !session.awaitsEpochs, keyPacing.isAdoptionDue(at: time.now()) else { return }
        let (_, duration) = try time.measure { try adopt() }
        keyPacing.adopted(at: time.now(), taking: duration)
    }

    /// Does the work on the group's key that is due, if the limiter allows work now.
    func workOnKey() throws -> [ClientEffect] {
        try adoptWhenDue()
        return try reviewKey()
    }

    /// Handles a refusal of the epoch that the server was asked to keep.
    ///
    /// - Returns: The resulting effects; nil if the refusal is about something else.
    func handleRefusal(_ request: GroupRequest, _ refusal: Refusal) throws -> [ClientEffect]? {
        guard case .successor(let record, _) = request, rotation.refused(record.epoch) else { return nil }
        if refusal.code == .unknownEpoch, let named = try nameEpochs() {
            rotation.mayAskAgain()
            return named
        }
        observer?.notice(.keyUnchanged(refusal))
        return []
    }

    /// Names to the server, once, the epochs that it may lack and that have no record. A server to which the
    /// group was brought again doesn't know them.
    ///
    /// - Parameter replica: The replica with the events that the server refuses.
    /// - Returns: The resulting effects; nil if all these epochs were named before.
    func nameEpochs(refusedOf replica: ReplicaID? = nil) throws -> [ClientEffect]? {
        try group.flatMap { session.sendMissingRecords(try $0.namesOfKnown(refusedOf: replica)) }
    }

    /// Checks after a change whether the newest epoch is still valid, and makes a successor if it isn't. Also
    /// makes a postponed successor, or repeats postponed revocations, if they are due now.
    func reviewKey() throws -> [ClientEffect] {
        guard session.isConnected, let group else { return [] }
        let now = time.now()
        if told.endWait(at: now) { return try tellOfThosePutOff() }
        if rotation.endWait(at: now), let ring = rotation.ring, let newest = ring.newest,
            let plan = try group.plan(ring, by: secrets.hash)
        {
            return try ask(plan, after: newest)
        }
        guard replaying.reachedWelcome, keyPacing.mayWork(at: now), rotation.startReview() else { return [] }
        let (effects, duration) = try time.measure { try review(for: group, at: now) }
        keyPacing.worked(at: time.now(), taking: duration)
        return effects
    }

    private func review(for group: SealedLog, at now: SteadyInstant) throws -> [ClientEffect] {
        guard let ring = rotation.ring, let newest = ring.newest else { return [] }
        try tellOfKey(ring, newest)
        try tellOfLatecomers(ring, group)
        let effects = try tellServer(ofThoseBy: Set(store.ownReplicas())) + tellServerOfItself(ring)
        guard let plan = try group.plan(ring, by: secrets.hash),
            rotation.makesNext(after: newest, passing: try passing(plan, newest), at: now)
        else { return effects }
        return try effects + ask(plan, after: newest)
    }

    /// Returns how much longer this device waits for other devices to continue from an epoch that was made
    /// only for these devices; nil if there is no such epoch. The start of the wait is stored.
    private func passing(_ plan: KeyRing.Plan, _ newest: EpochID) throws -> Duration? {
        guard plan.passesOver, rotation.waitsForOthers else { return nil }
        let kept = EpochWait(try store.text(.passingOver))
        let passing = EpochWait.waiting(kept, at: newest, now: sharedNow)
        if passing != kept { try store.setText(passing.text, for: .passingOver) }
        return passing.remaining(at: sharedNow)
    }

    /// Tells the server about revocations that it may not know. Only the device that revoked a key does this,
    /// and the device that makes an epoch because of the revocation. A device that leaves tells the server by
    /// `part`, once the server has all of its events.
    ///
    /// - Parameter replicas: The authors of the revocations to report; nil for all revocations.
    private func tellServer(ofThoseBy replicas: Set<ReplicaID>? = nil) throws -> [ClientEffect] {
        let revoked = try store.state().rulings.filter { key, ruling in
            ruling.isRevoked && replicas?.contains(ruling.position.replica) ?? true
                && !told.told.contains(key) && key != secrets.hash
        }
        var keys = Set(revoked.keys)
        // The maker of an epoch has to tell the server first. If it didn't, the maker of the next epoch does.
        if replicas == nil, let group, let ring = rotation.ring {
            keys.formUnion(try group.claimed(ring).subtracting(told.told))
        }
        guard !keys.isEmpty else { return [] }
        told.tell(of: keys)
        let known = Set(try store.devices().filter(\.isRevoked).map(\.key))
        return keys.subtracting(known).sorted { $0.precedes($1) }.flatMap { session.ask(.revoke($0)) }
    }

    /// Tells the server that this device is shut out, if others say so. Perhaps no other device can read
    /// that, because the key was made only for this device. Then this device would otherwise go on under a
    /// key that no other device gets.
    private func tellServerOfItself(_ ring: KeyRing) throws -> [ClientEffect] {
        let own = secrets.hash
        guard !told.told.contains(own) else { return [] }
        if let ruling = try store.state().rulings[own] {
            guard try ruling.isRevoked && !store.ownReplicas().contains(ruling.position.replica) else {
                return []
            }
        } else if !ring.revoked.contains(own) {
            return []
        }
        told.tell(of: [own])
        return session.ask(.revoke(own))
    }

    /// Repeats the revocations that the server couldn't apply before.
    private func tellOfThosePutOff() throws -> [ClientEffect] {
        let readmitted = try store.groupKeys().readmitted
        return told.again(but: keptOut.union(readmitted)).flatMap { session.ask(.revoke($0)) }
    }

    /// Makes the planned epoch, and asks the server to keep it.
    private func ask(_ plan: KeyRing.Plan, after newest: EpochID) throws -> [ClientEffect] {
        if plan.passesOver, let passing = EpochWait(try store.text(.passingOver)) {
            try store.setText(passing.afterOwnEpoch.text, for: .passingOver)
        }
        let (key, body) = try EpochBody.make(plan.making, secrets.random)
        rotation.ask(for: key.epoch, after: newest, at: time.now())
        let record = EpochRecord(epoch: key.epoch, predecessor: newest, body: body.bytes)
        let effects = try tellServer()
        guard plan.discounted.count > Limits.discounted else {
            return effects + session.ask(.successor(record, discounting: plan.discounted))
        }
        // There are more discounted epochs than a `successor` message can list, so the epoch is sent as an
        // existing one.
        let given = session.ask(.epoch(record))
        try handle(record)
        return effects + given
    }
}
