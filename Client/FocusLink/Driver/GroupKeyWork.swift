import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import FocusText

/// The work on the group's key on one connection: opens epochs, changes the key, and reports
/// revocations (docs/protocol.md, "Epochs and revocations").
///
/// It has no session: it returns its requests to the server, and the driver sends them.
final class GroupKeyWork {
    private let time: any Scheduler
    private let store: DeviceStore
    private let secrets: DeviceSecrets
    private let references: BackReferences
    /// The schedule of key changes; the driver reads its state.
    private(set) var rotation: KeyRotation
    private var reports = RevocationReports()
    private var limiter = KeyWorkLimiter()

    init(
        _ pace: KeyRotation.Pace, store: DeviceStore, secrets: DeviceSecrets, time: any Scheduler,
        _ references: BackReferences
    ) {
        self.time = time
        self.store = store
        self.secrets = secrets
        self.references = references
        rotation = KeyRotation(pace, by: secrets.hash)
    }

    private var observer: (any SyncObserver)? { references.observer }

    /// Returns when the next work is due; nil if none is planned.
    func deadline(at now: SteadyInstant) -> SteadyInstant? {
        [rotation.deadline, reports.deadline, limiter.deadline(isOpen: rotation.isOpen, at: now)]
            .compactMap { $0 }.min()
    }

    func changed() { rotation.changed() }
    func replayed(_ state: ReplayState) { rotation.replayed(state) }

    /// Handles a refusal of an epoch, or a repeated refusal of a revocation.
    ///
    /// - Parameter nameEpochs: Names to the server the epochs that it may lack; nil if all were named before.
    /// - Returns: The resulting effects; nil if the observer has to be told of the refusal.
    func refused<Failure: Error>(
        _ request: GroupRequest, _ refusal: Refusal, nameEpochs: () throws(Failure) -> [ClientEffect]?
    ) throws(Failure) -> [ClientEffect]? {
        guard case .successor(let record, _) = request, rotation.refused(record.epoch) else {
            return reports.refused(request, refusal, at: time.now()) ? [] : nil
        }
        if refusal.code == .unknownEpoch, let named = try nameEpochs() {
            rotation.mayAskAgain()
            return named
        }
        observer?.notice(.keyUnchanged(refusal))
        return []
    }

    /// Stores an epoch's record that arrived.
    func received(_ record: EpochRecord, _ group: SealedLog) throws(StoreError) {
        try group.add(record)
        if rotation.received(record) { try group.believe(record.body) }
        limiter.received()
    }

    /// Opens the epochs and events that can be opened now.
    func adopt(_ group: SealedLog) throws(StoreError) {
        let adoption = try group.adopt(with: secrets.key)
        if !adoption.damagedBy.isEmpty { observer?.notice(.damaged(by: adoption.damagedBy)) }
        if adoption.opened > 0 || adoption.isNew { observer?.notifyViews() }
        if let bad = rotation.adopted(adoption.ring) { observer?.notice(.badEpochs(count: bad)) }
    }

    /// Opens the epochs and events for which records have arrived, if the limiter allows work now.
    func adoptWhenDue(_ group: SealedLog) throws(StoreError) {
        guard limiter.isAdoptionDue(at: time.now()) else { return }
        let stopwatch = time.stopwatch()
        try adopt(group)
        limiter.adopted(at: time.now(), taking: stopwatch())
    }

    /// Notifies the person which devices lost access since the last announced epoch, and which are in the
    /// group for the first time. The names come from the log, so the log must be up to date.
    private func tellOfKey(
        _ ring: KeyRing, _ newest: EpochID, at now: SharedInstant
    ) throws(StoreError) {
        let told = try store.atomically { () throws(StoreError) -> EpochID? in
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
        let named = Set(try store.state().devices.values.compactMap { $0.key })
        let newcomers = ring.newcomers(since: told, named: named).subtracting([secrets.hash])
        if !newcomers.isEmpty {
            var kept = try Newcomers(store)
            try kept.add(newcomers, at: now, store)
            observer?.notice(.newcomers(newcomers.map { called[$0].full }.sorted()))
        }
    }

    /// Notifies the person, once, of the latecomers that wait to be accepted.
    private func tellOfLatecomers(_ ring: KeyRing, _ group: SealedLog) throws(StoreError) {
        let late = try group.replaceStandings(ring)
        guard !late.isEmpty else { return }
        let called = try DeviceNames(store)
        observer?.notice(.latecomers(late.map { called[$0].full }.sorted()))
        observer?.notifyViews()
    }

    /// Checks after a change whether the newest epoch is still valid, and makes a successor if it isn't. Also
    /// makes a postponed successor, or repeats postponed revocations, if they are due now.
    ///
    /// - Parameter shutOut: The devices that the server shuts out.
    /// - Returns: The requests to the server, in order.
    func review(
        _ group: SealedLog, reachedWelcome: Bool, shutOut: Set<Digest>, at shared: SharedInstant
    ) throws(StoreError) -> [GroupRequest] {
        let now = time.now()
        if reports.endWait(at: now) {
            let settled = try shutOut.union(store.groupKeys().readmitted)
            return reports.devicesToRepeat(except: settled).map { .revoke($0) }
        }
        if rotation.endWait(at: now), let ring = rotation.ring, let newest = ring.newest,
            let plan = try group.plan(ring, by: secrets.hash)
        {
            return try make(plan, after: newest, group)
        }
        guard reachedWelcome, limiter.mayWork(at: now), rotation.startReview() else { return [] }
        let stopwatch = time.stopwatch()
        let requests = try review(group, at: now, shared)
        limiter.worked(at: time.now(), taking: stopwatch())
        return requests
    }

    private func review(
        _ group: SealedLog, at now: SteadyInstant, _ shared: SharedInstant
    ) throws(StoreError) -> [GroupRequest] {
        guard let ring = rotation.ring, let newest = ring.newest else { return [] }
        try tellOfKey(ring, newest, at: shared)
        try tellOfLatecomers(ring, group)
        let requests = try revocations(by: Set(store.ownReplicas()), group) + ownRevocation(ring)
        guard let plan = try group.plan(ring, by: secrets.hash),
            rotation.makesNext(after: newest, passing: try passing(plan, newest, at: shared), at: now)
        else { return requests }
        return try requests + make(plan, after: newest, group)
    }

    /// Returns how much longer this device waits for other devices to continue from an epoch that was made
    /// only for these devices; nil if there is no such epoch. The start of the wait is stored.
    private func passing(
        _ plan: KeyRing.Plan, _ newest: EpochID, at now: SharedInstant
    ) throws(StoreError) -> Duration? {
        guard plan.passesOver, rotation.waitsForOthers else { return nil }
        let kept = EpochWait(try store.text(.epochWait))
        let passing = EpochWait.current(kept, at: newest, now: now)
        if passing != kept { try store.setText(passing.text, for: .epochWait) }
        return passing.remaining(at: now)
    }

    /// Returns reports of revocations that the server may not know. Only the device that revoked a key makes
    /// one, and the device that makes an epoch because of it. A device that leaves tells the server by
    /// `SyncDriver.leaveGroup`, once the server has all of its events.
    ///
    /// - Parameter replicas: The authors of the revocations to report; nil for all revocations.
    private func revocations(
        by replicas: Set<ReplicaID>? = nil, _ group: SealedLog
    ) throws(StoreError) -> [GroupRequest] {
        let revoked = try store.state().rulings.filter { key, ruling in
            ruling.isRevoked && replicas?.contains(ruling.position.replica) ?? true
                && !reports.told.contains(key) && key != secrets.hash
        }
        var keys = Set(revoked.keys)
        // The maker of an epoch has to tell the server first. If it didn't, the maker of the next epoch does.
        if replicas == nil, let ring = rotation.ring {
            keys.formUnion(try group.claimed(ring).subtracting(reports.told))
        }
        guard !keys.isEmpty else { return [] }
        reports.tell(of: keys)
        let known = Set(try store.devices().filter { $0.isRevoked }.map { $0.key })
        return keys.subtracting(known).sorted { $0.precedes($1) }.map { .revoke($0) }
    }

    /// Returns a report that this device is shut out, if others say so. Perhaps no other device can read
    /// that, because the key was made only for this device. Then this device would otherwise go on under a
    /// key that no other device gets.
    private func ownRevocation(_ ring: KeyRing) throws(StoreError) -> [GroupRequest] {
        let own = secrets.hash
        guard !reports.told.contains(own) else { return [] }
        if let ruling = try store.state().rulings[own] {
            guard ruling.isRevoked, try !store.ownReplicas().contains(ruling.position.replica) else {
                return []
            }
        } else if !ring.revoked.contains(own) {
            return []
        }
        reports.tell(of: [own])
        return [.revoke(own)]
    }

    /// Makes the planned epoch. Returns the requests that ask the server to keep it.
    private func make(
        _ plan: KeyRing.Plan, after newest: EpochID, _ group: SealedLog
    ) throws(StoreError) -> [GroupRequest] {
        if plan.passesOver, let passing = EpochWait(try store.text(.epochWait)) {
            try store.setText(passing.next.text, for: .epochWait)
        }
        let (key, body) = try StoreError.sealing { () throws(SealError) in
            try EpochBody.make(plan.making, secrets.random)
        }
        rotation.ask(for: key.epoch, after: newest, at: time.now())
        let record = EpochRecord(epoch: key.epoch, predecessor: newest, body: body.bytes)
        let requests = try revocations(group)
        guard plan.discounted.count > Limits.discounted else {
            return requests + [.successor(record, discounting: plan.discounted)]
        }
        // There are more discounted epochs than a `successor` message can list, so the epoch is sent as an
        // existing one.
        try received(record, group)
        try adoptWhenDue(group)
        return requests + [.epoch(record)]
    }
}
