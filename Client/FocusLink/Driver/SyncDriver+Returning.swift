import FocusCore
import FocusDevice
import FocusStore
import FocusSync

// What a device does by itself on returning (docs/timer-rules.md §5).
extension SyncDriver {
    /// Notes what the device shows of what was pressed while it was cut off, before anything that the others have is taken
    /// in. What an earlier connection noted stays, where that one broke before it was used.
    func recordShown(before welcome: Welcome) throws {
        let heads = Dictionary(
            uniqueKeysWithValues: try store.replicas().map { ($0.id, $0.chained.seq) })
        guard welcome.vector.heads.contains(where: { $0.value.seq > heads[$0.key] ?? 0 }) else { return }
        let earlier = try store.shownWork()
        let pending = try store.pendingOwnEvents().filter { $0.time >= earlier?.notedAt ?? .zero }
        guard !pending.isEmpty else { return }
        // Nobody has seen what ran while the machine slept.
        let sleeps = try store.keptSleeps().filter { $0.pause == nil }.map(\.sleep.from)
        let instant = min(sleeps.min() ?? sharedNow, sharedNow)
        let (state, journal) = try store.history()
        let shown = try ShownWork(
            of: pending, in: store, journal, state,
            own: Set(store.ownReplicas()), isAsleep: !sleeps.isEmpty, at: instant)
        try store.setShownWork(earlier?.adding(shown) ?? shown)
    }

    /// What was noted, as it holds now.
    private func shownWork(_ own: Set<ReplicaID>, _ now: SharedInstant) throws -> ShownWork? {
        guard let noted = try store.shownWork() else { return nil }
        let hasSlept = try store.keptSleeps().contains { $0.sleep.until > noted.notedAt }
        return try noted.broughtForward(in: store, own: own, hasSlept: hasSlept).broughtBack(to: now)
    }

    /// Goes on with what somebody is in the middle of, and keeps what would be lost of what was noted.
    private func keepShown(
        _ shown: ShownWork?, hasLostSetting: Bool, _ own: Set<ReplicaID>, _ now: SharedInstant,
        in authoring: inout Authoring
    ) throws -> [Returning.Deed] {
        guard let shown else { return [] }
        try authoring.introduceFreshReplica()
        var deeds: [Returning.Deed] = []
        let goingOn = try GoingOn(with: shown, after: authoring.state, in: store, own: own, at: now)
        if let goingOn {
            let run = RunID(try authoring.write(goingOn.start).position)
            try authoring.write(goingOn.actions(on: run, authoring.state.settings))
            if let correction = goingOn.correction(in: authoring.state, at: now) {
                try authoring.write(correction)
            }
            deeds.append(.wentOn(run))
        }
        let (state, journal) = try store.history()
        let kept = try KeptWork(
            shown, besides: journal, state, in: store, own: own, hasLostSetting: hasLostSetting,
            goesOn: goingOn != nil, at: now)
        if !kept.actions.isEmpty {
            try authoring.write(kept.actions)
            if kept.work > .zero { deeds.append(.kept(kept.work)) }
        }
        try store.setShownWork(nil)
        return deeds
    }

    /// Does what a device does by itself on returning (docs/timer-rules.md §5), and gives what has become of the log.
    func returned() throws -> LogChange {
        guard let group else { return .heads([:]) }
        let own = Set(try store.ownReplicas())
        let now = sharedNow
        let ((deeds, woken), events) = try store.author(now: now, counting: .dueOrPending) { authoring in
            // Who pressed meanwhile is looked at before this device writes anything.
            let shown = try shownWork(own, now)
            let waking = try Waking(store, own: own, presence: presence, now: now)
            let pending = try store.pendingOwnEvents()
            let returnUndos = try store.returnUndos().intersection(pending.map(\.stamp))
            let overtaken = try Returning(
                overtaken: pending, of: authoring.state, in: store, own: own, returnUndos: returnUndos)
            try authoring.write(overtaken)
            let beside = try Returning(sideRunsOf: authoring.state, in: store, own: own, at: now)
            try authoring.write(beside)
            let woken = try waking.perform(in: &authoring)
            let kept = try keepShown(
                shown, hasLostSetting: overtaken.hasLostSetting, own, now, in: &authoring)
            try showKey(in: &authoring)
            let undos = authoring.events.filter { Undo($0) != nil }
            try store.setReturnUndos(returnUndos.union(undos.map(\.stamp)))
            return (overtaken.deeds + beside.deeds + kept, woken)
        }
        observer?.wrote(events, on: .returning, at: now)
        try tell(deeds)
        for deed in woken { observer?.notice(.woke(deed)) }
        // Not all of it is worth a word: a setting that was overtaken may have been set again since.
        if !events.isEmpty { observer?.logChanged() }
        // What is pending counted for that, though it may lie ahead. The others know this device by what doesn't.
        let named =
            try store.countsOtherwise(at: now) ? store.author(now: now) { try showKey(in: &$0) }.events : []
        if !named.isEmpty { observer?.logChanged() }
        return try group.change()
    }

    /// Two laptops that start within one round trip know nothing of each other: the one whose session stands beside
    /// the other's ends it at once, as it would on returning, before it claims hours.
    func endSideRuns(of state: ReplayState) throws -> [ClientEffect] {
        guard let group, !state.sideRuns.isEmpty else { return [] }
        let own = Set(try store.ownReplicas())
        guard state.sideRuns.contains(where: { own.contains($0.run.id.starter) }) else { return [] }
        let now = sharedNow
        let (deeds, events) = try store.author(now: now) { authoring in
            let beside = try Returning(sideRunsOf: authoring.state, in: store, own: own, at: now)
            try authoring.write(beside)
            return beside.deeds
        }
        observer?.wrote(events, on: .beside, at: now)
        guard !events.isEmpty else { return [] }
        try tell(deeds)
        observer?.logChanged()
        return session.logChanged(try group.change())
    }

    /// Says what the device did by itself.
    private func tell(_ deeds: [Returning.Deed]) throws {
        guard !deeds.isEmpty else { return }
        observer?.notice(.returned(SyncNotice.Returned.all(of: deeds, in: try store.state(), at: sharedNow)))
    }
}

extension Authoring {
    fileprivate mutating func write(_ returning: Returning) throws(StoreError) {
        guard !returning.actions.isEmpty else { return }
        try introduceFreshReplica()
        try write(returning.actions)
    }
}
