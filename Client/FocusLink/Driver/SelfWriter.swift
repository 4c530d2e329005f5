import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync

/// The writer of the events that a device writes by itself on a connection (docs/timer-rules.md §5).
final class SelfWriter {
    private let store: DeviceStore
    private let secrets: DeviceSecrets
    private let references: BackReferences

    init(_ store: DeviceStore, secrets: DeviceSecrets, _ references: BackReferences) {
        self.store = store
        self.secrets = secrets
        self.references = references
    }

    private var observer: (any SyncObserver)? { references.observer }

    /// Records the offline work, before events of others are merged: the phases that this device showed after
    /// presses made while it was cut off. If an earlier connection broke before `returned` used its note, the
    /// new note is added to it.
    func recordOfflineWork(before welcome: Welcome, at now: SharedInstant) throws(StoreError) {
        let heads = Dictionary(
            uniqueKeysWithValues: try store.replicas().map { ($0.id, $0.chained.seq) })
        // If the server has nothing new, merging changes nothing that this device shows.
        guard welcome.vector.heads.contains(where: { $0.value.seq > heads[$0.key] ?? 0 }) else { return }
        let earlier = try store.offlineWorkNote()
        let pending = try store.pendingOwnEvents().filter { $0.time >= earlier?.notedAt ?? .zero }
        guard !pending.isEmpty else { return }
        // Nobody saw the timer while the machine was suspended. A suspension without a pause is undecided.
        let suspendedAt = try store.storedSuspensions().filter { $0.pause == nil }.map { $0.sleep.from }.min()
        let instant = min(suspendedAt ?? now, now)
        let (state, journal) = try store.history()
        let note = try OfflineWorkNote(
            of: pending, in: store, journal, state,
            own: Set(store.ownReplicas()), isAsleep: suspendedAt != nil, at: instant)
        try store.setOfflineWorkNote(earlier?.adding(note) ?? note)
    }

    /// Returns the recorded offline work without the parts that later presses or suspensions here have made
    /// invalid, and not beyond `now`; nil if there is none.
    private func correctedOfflineWork(
        _ own: Set<ReplicaID>, _ now: SharedInstant
    ) throws(StoreError) -> OfflineWorkNote? {
        guard let note = try store.offlineWorkNote() else { return nil }
        let hasSlept = try store.storedSuspensions().contains { $0.sleep.until > note.notedAt }
        return try note.broughtForward(in: store, own: own, hasSlept: hasSlept).broughtBack(to: now)
    }

    /// Continues a session that somebody is in the middle of, and writes records of the offline work that the
    /// history lacks (rules 5 and 6).
    ///
    /// - Parameters:
    ///   - offlineWork: The offline work; nil if there is none.
    ///   - hasLostSetting: Whether a setting that was changed while this device was cut off was taken back.
    private func keepOfflineWork(
        _ offlineWork: OfflineWorkNote?, hasLostSetting: Bool, _ own: Set<ReplicaID>, _ now: SharedInstant,
        in authoring: inout AuthoringTransaction
    ) throws(StoreError) -> [ReconnectActions.Deed] {
        guard let offlineWork else { return [] }
        try authoring.introduceFreshReplica()
        var deeds: [ReconnectActions.Deed] = []
        let continuation = try PhaseContinuation(
            with: offlineWork, after: authoring.state, in: store, own: own, at: now)
        if let continuation {
            let start = try authoring.write(continuation.start)
            let run = RunID(start.position)
            try store.setContinuation(continuation.isOfWork ? start.id : nil)
            try authoring.write(continuation.actions(on: run, authoring.state.settings))
            if let correction = continuation.correction(in: authoring.state, at: now) {
                try authoring.write(correction)
            }
            deeds.append(.wentOn(run))
        }
        let (state, journal) = try store.history()
        let records = try OfflineWorkRecords(
            offlineWork, besides: journal, state, in: store, own: own, hasLostSetting: hasLostSetting,
            continuesPhase: continuation != nil, at: now)
        try authoring.write(records, &deeds)
        try store.setOfflineWorkNote(nil)
        return deeds
    }

    /// Returns the work that others' events have displaced from the run with which this device continued a
    /// phase; nil if there is none. Forgets that run if there is such work, so that it is recorded once, or if
    /// the run's first phase has ended.
    private func removeDisplacedWork(in state: ReplayState) throws(StoreError) -> OfflineWorkNote? {
        guard let id = try store.continuation(), let start = try store.event(id) else { return nil }
        let work = try OfflineWorkNote(displacedFrom: start, in: store, state)
        let isInFirstPhase = state.openRun(RunID(start.position))?.phase.ordinal == 0
        if work != nil || !isInFirstPhase { try store.setContinuation(nil) }
        return work
    }

    /// Writes records of displaced work, except for parts that the history has. Call this last.
    private func restoreDisplacedWork(
        _ displaced: OfflineWorkNote?, _ own: Set<ReplicaID>, _ now: SharedInstant,
        in authoring: inout AuthoringTransaction
    ) throws(StoreError) -> [ReconnectActions.Deed] {
        guard let displaced else { return [] }
        try authoring.introduceFreshReplica()
        let (state, journal) = try store.history()
        let records = try OfflineWorkRecords(
            displaced, besides: journal, state, in: store, own: own, hasLostSetting: false,
            continuesPhase: false, at: now)
        var deeds: [ReconnectActions.Deed] = []
        try authoring.write(records, &deeds)
        return deeds
    }

    /// Performs the device's own actions on returning (docs/timer-rules.md §5): rules 2 to 4, rule 1, the
    /// decisions about suspensions, and rules 5 and 6, in this order.
    ///
    /// - Parameter presence: The presence of the group's devices, as of the welcome.
    func returned(_ presence: [Presence], at now: SharedInstant) throws(StoreError) {
        let own = Set(try store.ownReplicas())
        var deeds: [ReconnectActions.Deed] = []
        var suspensionDeeds: [SuspensionHandling.Deed] = []
        let events = try store.author(now: now, counting: .dueOrPending) { (authoring) throws(StoreError) in
            let displaced = try removeDisplacedWork(in: authoring.state)
            // These two come before this device writes anything, because they depend on presses in the log.
            // The events written below would count as presses.
            let offlineWork = try correctedOfflineWork(own, now)
            let suspensions = try SuspensionHandling(store, own: own, presence: presence, now: now)
            let pending = try store.pendingOwnEvents()
            let returnUndos = try store.returnUndos().intersection(pending.map { $0.stamp })
            let overtaken = try ReconnectActions(
                overtaken: pending, of: authoring.state, in: store, own: own, returnUndos: returnUndos)
            try authoring.write(overtaken)
            let sideRuns = try ReconnectActions(sideRunsOf: authoring.state, in: store, own: own, at: now)
            try authoring.write(sideRuns)
            suspensionDeeds = try suspensions.perform(in: &authoring)
            var workDeeds = try keepOfflineWork(
                offlineWork, hasLostSetting: overtaken.hasLostSetting, own, now, in: &authoring)
            workDeeds += try restoreDisplacedWork(displaced, own, now, in: &authoring)
            try showKey(in: &authoring)
            let undos = authoring.events.filter { Undo($0) != nil }
            try store.setReturnUndos(returnUndos.union(undos.map { $0.stamp }))
            deeds = overtaken.deeds + sideRuns.deeds + workDeeds
        }.events
        observer?.wrote(events, on: .returning, at: now)
        try tell(deeds)
        for deed in suspensionDeeds { observer?.notice(.woke(deed)) }
        // There may be events without a deed: the undo of a setting has none if another device has set the
        // same setting since.
        if !events.isEmpty { observer?.notifyViews() }
        // Until here, pending events counted even if they are early. On other devices they don't count yet.
        // If only an early event names this device, another event names it now.
        guard try store.haveCountedEventsChanged(at: now) else { return }
        let (_, named) = try store.author(now: now) { (authoring) throws(StoreError) in
            try showKey(in: &authoring)
        }
        if !named.isEmpty { observer?.notifyViews() }
    }

    /// Ends this device's side run at once, as on returning, before the side run counts hours of work. Two
    /// laptops that start within one round trip don't know of each other, so one of their runs becomes a side
    /// run. If one of them continued a phase, records of displaced work are written too. Returns whether any
    /// event was written.
    func endSideRuns(of state: ReplayState, at now: SharedInstant) throws(StoreError) -> Bool {
        let displaced = try removeDisplacedWork(in: state)
        guard displaced != nil || !state.sideRuns.isEmpty else { return false }
        let own = Set(try store.ownReplicas())
        let hasSideRun = state.sideRuns.contains { own.contains($0.run.id.starter) }
        guard displaced != nil || hasSideRun else { return false }
        let (deeds, events) = try store.author(now: now) { (authoring) throws(StoreError) in
            let sideRuns = try ReconnectActions(sideRunsOf: authoring.state, in: store, own: own, at: now)
            try authoring.write(sideRuns)
            let workDeeds = try restoreDisplacedWork(displaced, own, now, in: &authoring)
            return sideRuns.deeds + workDeeds
        }
        observer?.wrote(events, on: .beside, at: now)
        guard !events.isEmpty else { return false }
        try tell(deeds)
        observer?.notifyViews()
        return true
    }

    /// Notifies the person of the device's own actions.
    private func tell(_ deeds: [ReconnectActions.Deed]) throws(StoreError) {
        guard !deeds.isEmpty else { return }
        observer?.notice(.returned(SyncNotice.Returned.all(of: deeds, in: try store.state())))
    }

    /// Writes this device's public key into the log unless the log has it. Other devices wrap the group's
    /// keys for it.
    private func showKey(in authoring: inout AuthoringTransaction) throws(StoreError) {
        let own = try readableReplicas()
        guard let known = authoring.state.devices[authoring.replica] else {
            // The log doesn't name this replica. It is enough if it names another one with the key.
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
    private func readableReplicas() throws(StoreError) -> Set<ReplicaID> {
        try Set(store.ownReplicas()).subtracting(store.sealedReplicas())
    }

    /// Writes this device's name and key into the log again if the log no longer has them. Returns whether
    /// any event was written.
    func nameItself(in state: ReplayState, at now: SharedInstant) throws(StoreError) -> Bool {
        guard !isNamed(in: state, try readableReplicas()) else { return false }
        let (_, events) = try store.author(now: now) { (authoring) throws(StoreError) in
            try showKey(in: &authoring)
        }
        if !events.isEmpty { observer?.notifyViews() }
        return !events.isEmpty
    }

    /// Writes events again that lie ahead of shared time and that the server doesn't have.
    func reauthor(_ reauthoring: Reauthoring, at now: SharedInstant) throws(StoreError) {
        let events = try store.reauthor(
            beyond: reauthoring.beyond, limit: reauthoring.limit,
            error: reauthoring.error, now: now)
        tell(ofReauthored: events)
    }

    /// Brings back this device's early events, if a server has any of them. Returns whether any was brought
    /// back. `error` is the greatest error of the device's clock that was found on this connection.
    func bringBackOwn(error: Duration, at now: SharedInstant) throws(StoreError) -> Bool {
        try store.updateCounted(at: now)
        guard let early = try store.earlyEvents(), early.own > 0 else { return false }
        let done = try store.bringBack(.own(error: error), at: now)
        tell(ofReauthored: done.written)
        return !done.isEmpty
    }

    private func tell(ofReauthored events: [Event]) {
        guard !events.isEmpty else { return }
        observer?.notice(.reauthored(count: events.count))
        observer?.notifyViews()
    }
}

extension AuthoringTransaction {
    fileprivate mutating func write(_ returning: ReconnectActions) throws(StoreError) {
        guard !returning.actions.isEmpty else { return }
        try introduceFreshReplica()
        try write(returning.actions)
    }

    /// Writes the records, and adds the deed to be told if there is any work in them.
    fileprivate mutating func write(
        _ records: OfflineWorkRecords, _ deeds: inout [ReconnectActions.Deed]
    ) throws(StoreError) {
        guard !records.actions.isEmpty else { return }
        try write(records.actions)
        if records.work > .zero { deeds.append(.kept(records.work)) }
    }
}
