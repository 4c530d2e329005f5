import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import FocusText

// The group's key: what comes of it, and when it is changed (docs/protocol.md, "Epochs and revocations").
extension SyncDriver {
    /// Opens what can be opened by now.
    func adopt() throws {
        guard let group else { return }
        let adoption = try group.adopt(with: secrets.key)
        tell(ofDamage: adoption.damagedBy)
        if adoption.opened > 0 || adoption.isNew { observer?.logChanged() }
        if let bad = rotation.adopted(adoption.ring) { observer?.notice(.badEpochs(count: bad)) }
        if rotation.needsAnotherConnection { append(session.leave()) }
    }

    /// Says who can't read on since the epoch that was told of last, and who is in for the first time. It needs to know
    /// the log, which says who is who.
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

    /// Says whom nobody has accepted yet, once.
    private func tellOfLatecomers(_ ring: KeyRing, _ group: SealedLog) throws {
        let late = try group.replaceStandings(ring)
        guard !late.isEmpty else { return }
        let called = try DeviceNames(store)
        observer?.notice(.latecomers(late.map { called[$0].full }.sorted()))
        observer?.logChanged()
    }

    /// An epoch's record came.
    func handle(_ record: EpochRecord) throws {
        try group?.add(record)
        if rotation.received(record) { try group?.believe(record.body) }
        keyPacing.received()
        // Many come at once to a laptop that was away for long: they are looked at together, once all are there.
        if case .epoch? = effects.first { return }
        try adoptWhenDue()
    }

    /// Opens what can be opened by the records that have come, unless that has just taken long.
    private func adoptWhenDue() throws {
        guard !session.awaitsEpochs, keyPacing.isAdoptionDue(at: time.now()) else { return }
        let (_, duration) = try time.measure { try adopt() }
        keyPacing.adopted(at: time.now(), taking: duration)
    }

    /// Does what is due about the group's key, unless that has just taken long.
    func workOnKey() throws -> [ClientEffect] {
        try adoptWhenDue()
        return try reviewKey()
    }

    /// Does what follows from a refusal of the epoch that the server was asked to keep.
    ///
    /// - Returns: nil where it is about something else.
    func handleRefusal(_ subject: Digest, _ refusal: Refusal) throws -> [ClientEffect]? {
        guard rotation.refused(subject) else { return nil }
        if refusal.code == .unknownEpoch, let named = try nameEpochs() {
            rotation.mayAskAgain()
            return named
        }
        observer?.notice(.keyUnchanged(refusal))
        return []
    }

    /// Names those epochs to the server that it may lack and that there is no record of, once: a server that was given
    /// the group anew hasn't heard of them.
    ///
    /// - Returns: nil where all were named before.
    ///
    /// - Parameter replica: The replica whose events the server refuses.
    func nameEpochs(refusedOf replica: ReplicaID? = nil) throws -> [ClientEffect]? {
        try group.flatMap { session.giveLacking(try $0.namesOfKnown(refusedOf: replica)) }
    }

    /// Looks whether the newest epoch may stand, where anything has changed, and sees to it where it may not; and does
    /// what was put off until now.
    func reviewKey() throws -> [ClientEffect] {
        guard session.isConnected, let group else { return [] }
        let now = time.now()
        if told.endWait(at: now) { return try tellOfThosePutOff() }
        if rotation.endWait(at: now), let ring = rotation.ring, let newest = ring.newest,
            let plan = try group.plan(ring, by: secrets.hash)
        {
            return try ask(plan, after: newest)
        }
        guard replaying.hasCaughtUp, keyPacing.mayWork(at: now), rotation.startReview() else { return [] }
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

    /// How much longer this device waits for others to go on from an epoch that was made for them alone; nil
    /// where there is none. Since when it has waited is kept.
    private func passing(_ plan: KeyRing.Plan, _ newest: EpochID) throws -> Duration? {
        guard plan.passesOver, rotation.waitsForOthers else { return nil }
        let kept = PassingOver(try store.text(.passingOver))
        let passing = PassingOver.waiting(kept, at: newest, now: sharedNow)
        if passing != kept { try store.setText(passing.text, for: .passingOver) }
        return passing.left(at: sharedNow)
    }

    /// Tells the server who was shut out, where it doesn't say so itself: it may have been out of reach.
    ///
    /// Whoever shut somebody out does at once, and whoever changes the key on account of that. Who leaves says so itself
    /// once the server has everything of it (`part`).
    private func tellServer(ofThoseBy replicas: Set<ReplicaID>? = nil) throws -> [ClientEffect] {
        let revoked = try store.state().rulings.filter { key, ruling in
            ruling.isRevoked && replicas?.contains(ruling.position.replica) ?? true
                && !told.told.contains(key) && key != secrets.hash
        }
        var keys = Set(revoked.keys)
        // Who made an epoch tells the server first; where nobody did, whoever makes the next one does.
        if replicas == nil, let group, let ring = rotation.ring {
            keys.formUnion(try group.claimed(ring).subtracting(told.told))
        }
        guard !keys.isEmpty else { return [] }
        told.tell(of: keys)
        let known = Set(try store.devices().filter(\.isRevoked).map(\.key))
        return keys.subtracting(known).sorted { $0.precedes($1) }.flatMap { session.ask(.revoke($0)) }
    }

    /// Tells the server that this device itself is shut out, where others say so: it may be the only one that can read that,
    /// under a key that was made for it alone, and would else go on under that key, which none of the others ever gets.
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

    private func tellOfThosePutOff() throws -> [ClientEffect] {
        let readmitted = try store.groupKeys().readmitted
        return told.again(but: keptOut.union(readmitted)).flatMap { session.ask(.revoke($0)) }
    }

    private func ask(_ plan: KeyRing.Plan, after newest: EpochID) throws -> [ClientEffect] {
        if plan.passesOver, let passing = PassingOver(try store.text(.passingOver)) {
            try store.setText(passing.done.text, for: .passingOver)
        }
        let (key, body) = try EpochBody.make(plan.making, secrets.random)
        rotation.ask(for: key.epoch, after: newest, at: time.now())
        let record = EpochRecord(epoch: key.epoch, predecessor: newest, body: body.bytes)
        let effects = try tellServer()
        guard plan.discounted.count > Limits.discounted else {
            return effects + session.ask(.successor(record, discounting: plan.discounted))
        }
        // Somebody has made more than can be said not to count: the epoch is given as one that there is.
        let given = session.ask(.epoch(record))
        try handle(record)
        return effects + given
    }
}
