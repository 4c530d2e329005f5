import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import FocusText

/// What is being done about the group's key on one connection.
package struct KeyRotation {
    /// When a device makes the next epoch that is due.
    package enum Pace: Hashable, Sendable {
        /// At once, and without waiting whether others go on from an epoch that was made for them alone: somebody has
        /// just decided who is in.
        case decided
        /// At once: somebody waits for it.
        case atOnce
        /// After a few seconds, so that not all devices do it.
        case afterAWhile
    }

    /// An epoch that the server was asked to keep.
    struct Asked {
        let predecessor: EpochID
        let epoch: EpochID
    }

    let pace: Pace
    /// What the device makes of the epochs.
    var ring: KeyRing?
    /// Whether something has changed that the newest epoch may not stand after.
    var isDue = true
    /// What the log said of the devices when that was last looked at.
    private var devices: [ReplicaID: ReplayState.Device] = [:]
    private var rulings: [Digest: Ruling] = [:]
    /// Of whose revocation the server was told on this connection.
    var told: Set<Digest> = []
    /// Whom the server couldn't keep out when it was told to, on this connection, and when it is told again.
    fileprivate var putOff: Set<Digest> = []
    var tellTimer: (any Alarm)?
    /// What the server hasn't answered yet.
    var asked: Asked?
    /// When it was last asked for a successor of which epoch.
    var lastAsked: (predecessor: EpochID, at: Int64)?
    /// The records that can't be used, as was last said.
    var bad: Set<EpochID> = []
    var timer: (any Alarm)?

    /// Whether it is open whether the newest epoch stands.
    var isOpen: Bool { isDue || asked != nil }

    /// It isn't asked again about the same epoch within this time, in microseconds.
    static let patience: Int64 = 60_000_000
    /// So long it is before the server is told again whom it couldn't keep out, at least and at most.
    fileprivate static let tellingAgain: ClosedRange<Int64> = 1_000_000...600_000_000

    init(_ pace: Pace) { self.pace = pace }

    /// The log comes to this state now.
    mutating func replayed(_ state: ReplayState) {
        guard state.devices != devices || state.rulings != rulings else { return }
        devices = state.devices
        rulings = state.rulings
        isDue = true
    }
}

// The group's key: what comes of it, and when it is changed (docs/protocol.md, "Epochs and revocations").
extension SyncDriver {
    /// Opens what can be opened by now.
    func adopt() throws {
        guard let group else { return }
        let adoption = try group.adopt(with: secrets.key)
        change.ring = adoption.ring
        change.isDue = true
        tell(ofDamage: adoption.damagedBy)
        if adoption.opened > 0 || adoption.isNew { observer?.logChanged() }
        if !adoption.ring.bad.isSubset(of: change.bad) {
            change.bad = adoption.ring.bad
            observer?.notice(.badEpochs(count: change.bad.count))
        }
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
        let state = try store.state()
        let kept = Set(ring.body(of: told)?.revoked ?? [])
        let names = (ring.body(of: newest)?.revoked ?? []).filter { !kept.contains($0) }
            .map { DeviceName($0, in: state).short }
        if !names.isEmpty { observer?.notice(.keyChanged(without: names.sorted())) }
        let named = Set(state.devices.values.compactMap { $0.key.flatMap(Digest.init(hexadecimal:)) })
        let newcomers = ring.newcomers(since: told, named: named).subtracting([secrets.hash])
        if !newcomers.isEmpty {
            var kept = try Newcomers(store)
            try kept.keep(newcomers, at: sharedNow, store)
            observer?.notice(.newcomers(newcomers.map { DeviceName($0, in: state).full }.sorted()))
        }
    }

    /// Says whom nobody has accepted yet, once.
    private func tellOfLatecomers(_ ring: KeyRing, _ group: SealedLog) throws {
        let late = try group.keepLatecomers(ring)
        guard !late.isEmpty else { return }
        let state = try store.state()
        observer?.notice(.latecomers(late.map { DeviceName($0, in: state).full }.sorted()))
        observer?.logChanged()
    }

    /// An epoch's record came.
    func take(_ record: EpochRecord) throws {
        try group?.keep(record)
        if let asked = change.asked, asked.epoch == record.epoch || asked.predecessor == record.predecessor {
            change.asked = nil
            if asked.epoch == record.epoch { try group?.believe(record.body) }
        }
        // Many come at once to a laptop that was away for long: they are looked at together, once all are there.
        if session.awaitsEpochs { return }
        if case .epoch? = effects.first { return }
        try adopt()
    }

    /// Does what follows from a refusal of the epoch that the server was asked to keep.
    ///
    /// - Returns: nil where it is about something else.
    func takeRefusal(_ subject: Digest, _ refusal: Refusal) throws -> [ClientEffect]? {
        guard let asked = change.asked, subject == Digest(naming: asked.epoch) else { return nil }
        change.asked = nil
        change.isDue = true
        if refusal.code == .unknownEpoch, let named = try nameEpochs() {
            // It can be asked again at once.
            change.lastAsked = nil
            return named
        }
        observer?.notice(.keyUnchanged(refusal))
        return []
    }

    /// Names those epochs to the server that it may lack and that there is no record of, once: a server that was given
    /// the group anew hasn't heard of them.
    ///
    /// - Returns: nil where all were named before.
    func nameEpochs() throws -> [ClientEffect]? {
        try group.flatMap { session.giveLacking(try $0.namesOfKnown()) }
    }

    /// Looks whether the newest epoch may stand, where anything has changed, and sees to it where it may not.
    func reviewKey() throws -> [ClientEffect] {
        guard change.isDue, change.asked == nil, settling.hasCaughtUp, session.isConnected, let group else {
            return []
        }
        change.isDue = false
        if change.ring == nil { change.ring = try group.adopt(with: secrets.key).ring }
        guard let ring = change.ring, let newest = ring.newest else { return [] }
        change.timer?.cancel()
        change.timer = nil
        try tellOfKey(ring, newest)
        try tellOfLatecomers(ring, group)
        let told = try tellServer(ofThoseBy: Set(store.ownReplicas()))
        guard let plan = try group.plan(ring, by: secrets.hash) else { return told }
        let wait = try wait(for: newest, plan)
        guard wait > 0 else { return try told + ask(plan, after: newest) }
        change.timer = time.schedule(after: .microseconds(wait)) { [weak self] in
            self?.carryOut { try $0.changeKey() }
        }
        return told
    }

    /// Tells the server who was shut out, where it doesn't say so itself: it may have been out of reach.
    ///
    /// Whoever shut somebody out does at once, and whoever changes the key on account of that. Who leaves says so itself
    /// once the server has everything of it (`part`).
    private func tellServer(ofThoseBy replicas: Set<ReplicaID>? = nil) throws -> [ClientEffect] {
        let revoked = try store.state().rulings.filter { key, ruling in
            ruling.isRevoked && replicas?.contains(ruling.position.replica) ?? true
                && !change.told.contains(key) && key != secrets.hash
        }
        var keys = Set(revoked.keys)
        // Who made an epoch tells the server first; where nobody did, whoever makes the next one does.
        if replicas == nil, let group, let ring = change.ring {
            keys.formUnion(try group.claimed(ring).subtracting(change.told))
        }
        guard !keys.isEmpty else { return [] }
        change.told.formUnion(keys)
        let known = Set(try store.devices().filter(\.isRevoked).map(\.key))
        return keys.subtracting(known).sorted { $0.precedes($1) }.flatMap { session.ask(.revoke($0)) }
    }

    /// The server can't keep a device out for now: it is told again. Otherwise it would let in whom the group has shut out,
    /// for as long as this connection lasts.
    ///
    /// - Returns: whether it has put the same off before, so that nobody need hear of it again.
    func tellAgain(of device: Digest, _ refusal: Refusal) -> Bool {
        guard change.told.contains(device), case .after(let wait) = refusal.retry else { return false }
        let isNew = change.putOff.insert(device).inserted
        if change.tellTimer == nil {
            let range = KeyRotation.tellingAgain
            let wait = wait == 0 ? KeyRotation.patience : Int64(wait) * 1_000
            let delay = min(max(wait, range.lowerBound), range.upperBound)
            change.tellTimer = time.schedule(after: .microseconds(delay)) { [weak self] in
                self?.carryOut { try $0.tellOfThosePutOff() }
            }
        }
        return !isNew
    }

    private func tellOfThosePutOff() throws -> [ClientEffect] {
        change.tellTimer = nil
        let known = Set(try store.devices().filter(\.isRevoked).map(\.key))
        let readmitted = try store.revocations().readmitted
        change.putOff.subtract(known.union(readmitted))
        return change.putOff.sorted { $0.precedes($1) }.flatMap { session.ask(.revoke($0)) }
    }

    /// Whether the newest epoch's record keeps all of these out.
    func hasKey(without devices: Set<Digest>) -> Bool {
        guard let ring = change.ring, let newest = ring.newest else { return false }
        return Set(ring.body(of: newest)?.revoked ?? []).isSuperset(of: devices)
    }

    /// The time has come: the next epoch is made, where it is still due.
    private func changeKey() throws -> [ClientEffect] {
        change.timer = nil
        guard change.asked == nil, session.isConnected, let group else { return [] }
        guard let ring = change.ring, let newest = ring.newest,
            let plan = try group.plan(ring, by: secrets.hash)
        else { return [] }
        return try ask(plan, after: newest)
    }

    private func ask(_ plan: KeyRing.Plan, after newest: EpochID) throws -> [ClientEffect] {
        if plan.passesOver, let passing = PassingOver(try store.text(.passingOver)) {
            try store.setText(passing.done.text, for: .passingOver)
        }
        let (key, body) = try EpochBody.make(plan.making, secrets.random)
        change.asked = KeyRotation.Asked(predecessor: newest, epoch: key.epoch)
        change.lastAsked = (newest, time.now())
        let record = EpochRecord(epoch: key.epoch, predecessor: newest, body: body.bytes)
        let told = try tellServer()
        guard plan.discounted.count > Limits.discounted else {
            return told + session.ask(.successor(record, discounting: plan.discounted))
        }
        // Somebody has made more than can be said not to count: the epoch is given as one that there is.
        let given = session.ask(.epoch(record))
        try take(record)
        return told + given
    }

    /// How long to wait before an epoch is made after this one, in microseconds. It differs from device to device and
    /// from epoch to epoch.
    private func wait(for newest: EpochID, _ plan: KeyRing.Plan) throws -> Int64 {
        if plan.passesOver, change.pace != .decided {
            let kept = PassingOver(try store.text(.passingOver))
            let passing = PassingOver.waiting(kept, at: newest, now: sharedNow)
            if passing != kept { try store.setText(passing.text, for: .passingOver) }
            let left = passing.left(at: sharedNow)
            if left > 0 { return left * 1_000 }
        }
        if let last = change.lastAsked, last.predecessor == newest {
            return max(1, last.at + KeyRotation.patience - time.now())
        }
        guard change.pace == .afterAWhile else { return 0 }
        let mixed = zip(secrets.hash.bytes, newest.bytes).reduce(UInt64(0)) {
            $0 &* 257 &+ UInt64($1.0 ^ $1.1)
        }
        return 1_000_000 + Int64(mixed % 4_000_000)
    }
}
