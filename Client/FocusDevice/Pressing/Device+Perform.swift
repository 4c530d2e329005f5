package import FocusCore
package import FocusStore

extension Device {
    /// Carries out what a person asks for. All front ends use this function.
    ///
    /// Reads the log and writes to it in one transaction, so that no other process can write in between. The
    /// events are durable when this returns. The first event of a device is its name.
    ///
    /// - Parameters:
    ///   - interactions: Usually one. Several are carried out together, or not at all.
    ///   - ago: The time since the interaction took effect.
    ///   - consent: Whether the person has agreed to an undo that needs it.
    ///   - seen: The contents of the screen at the press, or nil if they aren't known.
    ///   - mayFallShort: Whether an interaction that can't reach back by `ago` is carried out all the same,
    ///     as far back as it can; and whether one that reaches back into a session that has ended by itself
    ///     may take completed work out of the history.
    /// - Returns: The result, with the state after it.
    /// - Throws: `PerformFailure`. Nothing was changed then.
    package func perform(
        _ interactions: Interaction..., ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        seen: ScreenTimer? = nil, mayFallShort: Bool = true
    ) throws(PerformFailure) -> InteractionResult {
        try perform(interactions, ago: ago, consent: consent, seen: seen, mayFallShort: mayFallShort)
    }

    /// Does the same as `perform(_:ago:consent:seen:mayFallShort:)`.
    package func perform(
        _ interactions: [Interaction], ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        seen: ScreenTimer? = nil, mayFallShort: Bool = true
    ) throws(PerformFailure) -> InteractionResult {
        try translated {
            let clock = try clock()
            let now = clock.now()
            let (interactions, ago) = Device.backdating(interactions, ago, at: now)
            return try store.author(now: now) { authoring in
                var performing = InteractionTransaction(
                    device: self, consent: consent,
                    context: PressContext(
                        now: now, ago: ago, offline: try isOffline(by: clock),
                        deviceKey: try store.deviceKey(), publicKey: try store.value(.publicKey),
                        seen: seen, mark: store.makeReplica().rawValue),
                    settings: authoring.state.settings)
                try performing.decideAboutSuspensions(before: interactions, &authoring)
                let ended =
                    mayFallShort ? nil : try performing.completedBefore(interactions, authoring.state)
                for interaction in interactions { try performing.perform(interaction, &authoring) }
                if let ended { try performing.checkCompleted(ended) }
                if !mayFallShort { try performing.checkReach() }
                try removeConflictNotice()
                // A press says that somebody has seen the timer run.
                if interactions.contains(where: { $0.isOnTimer }), try store.absence()?.isOver == true {
                    try store.setAbsence(nil)
                }
                return performing.result(authoring)
            }.result
        }
    }

    /// Carries out a person's answer to the open question about an absence.
    ///
    /// - Parameter question: The question that was shown, or nil if it isn't known.
    /// - Throws: `PerformFailure`. It is `InteractionError.nothingAsked` if that question isn't open any more.
    package func answer(
        _ answer: AbsenceAnswer, to question: AbsenceQuestion? = nil
    ) throws(PerformFailure) -> InteractionResult {
        try translated {
            let now = try now()
            return try store.author(now: now) { authoring in
                guard let open = try absenceQuestion(), question ?? open == open else {
                    throw InteractionError.nothingAsked
                }
                let settings = authoring.state.settings
                let actions = open.actions(answer)
                if !actions.isEmpty {
                    try authoring.introduceFreshReplica()
                    try authoring.write(actions)
                    try removeConflictNotice()
                }
                try store.setAbsence(nil)
                return InteractionResult(
                    state: authoring.state, settingsBefore: settings, events: authoring.events, now: now,
                    backdating: nil, undoneEvent: nil, overlaps: [], suspensionDeeds: [])
            }.result
        }
    }

    /// Checks that the timer and the log are still those on the screen. An undo finds its event in the log, to
    /// which another device may have added one since.
    ///
    /// - Parameter events: The number of events in the log on the screen (`ReplayState.eventCount`).
    /// - Throws: `PerformFailure`. It is `InteractionError.changed` if the timer or the log has changed since.
    package func checkUndo(on screen: ScreenTimer, events: UInt64) throws(PerformFailure) {
        try translated {
            let state = try store.state()
            let present = ShownTimer(TimerState(state, at: try now()))
            guard screen.isMeant(for: present), state.eventCount == events else {
                throw InteractionError.changed(to: present)
            }
        }
    }

    /// Runs `body`, and rethrows its error as a `PerformFailure`.
    private func translated<Result>(_ body: () throws -> Result) throws(PerformFailure) -> Result {
        do {
            return try body()
        } catch let error as PerformFailure {
            throw error
        } catch let error as InteractionError {
            throw .notNow(error)
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .store(StoreError(.failed, "\(error)"))
        }
    }
}

extension Device {
    /// Returns the interactions and how long ago they took effect. A start that is said to have begun already
    /// is a backdated one.
    private static func backdating(
        _ interactions: [Interaction], _ ago: Duration, at now: SharedInstant
    ) -> ([Interaction], Duration) {
        guard case .start(let label, let length, let begins?)? = interactions.first, begins <= now else {
            return (interactions, ago)
        }
        return ([Interaction.start(label: label, length: length)] + interactions.dropFirst(), now - begins)
    }

    /// Writes the device's name under its present replica, unless the log names that replica already. The
    /// replica may be fresh.
    package func introduce(in authoring: inout AuthoringTransaction) throws {
        guard authoring.state.devices[authoring.replica] == nil else { return }
        try writeName(
            .device(
                name: try name(), key: try store.deviceKey()?.hexadecimal,
                publicKey: try store.value(.publicKey)), in: &authoring)
    }

    /// Writes a `device` event. If it is the log's first event, also writes the first settings.
    fileprivate func writeName(_ action: Action, in authoring: inout AuthoringTransaction) throws {
        let isFirst = try store.eventCount() == 0
        try authoring.write(action)
        // In a group, the settings come from the group's log.
        if isFirst, try store.group() == nil { try authoring.write(Action.firstSettings) }
    }
}

/// Interactions that are carried out in one transaction.
private struct InteractionTransaction {
    let device: Device
    let consent: UndoConsent
    var context: PressContext
    let settings: Settings
    var backdating: InteractionResult.Backdating?
    var undoneEvent: Event?
    private var overlaps: [PhaseRecord] = []
    /// The timer that was shown before the pause for a suspension was written, or nil if no pause was
    /// written. Only the first interaction uses it.
    private var timerBeforePause: TimerState?
    private var suspensionDeeds: [SuspensionHandling.Deed] = []

    init(device: Device, consent: UndoConsent, context: PressContext, settings: Settings) {
        self.device = device
        self.consent = consent
        self.context = context
        self.settings = settings
    }

    /// Decides about the machine's suspensions before the press, if one of them is undecided. A pause is
    /// written first, so that the press acts on the right timer (docs/timer-rules.md §5). Does nothing for a
    /// press that is backdated to before the first undecided suspension.
    mutating func decideAboutSuspensions(
        before interactions: [Interaction], _ authoring: inout AuthoringTransaction
    ) throws {
        let undecided = try device.store.storedSuspensions().filter { $0.pause == nil }
        guard let first = undecided.first, interactions.contains(where: { $0.decidesAboutSuspensions }),
            context.ago == .zero || context.now - context.ago > first.sleep.from
        else { return }
        let shown = TimerState(authoring.state, at: context.now)
        for interaction in interactions { try interaction.check(context.seen, shown) }
        context.seen = nil
        let handling = try SuspensionHandling(
            device.store, own: Set(device.ownReplicas()),
            presence: try device.store.group() == nil ? [] : nil, now: context.now)
        suspensionDeeds = try handling.perform(in: &authoring)
        if suspensionDeeds.contains(where: { if case .paused = $0 { true } else { false } }) {
            timerBeforePause = shown
        }
    }

    /// Returns the interaction to perform after the pause for a suspension, or nil if the pause was all that
    /// the person wanted.
    private mutating func afterPause(
        _ interaction: Interaction, _ authoring: inout AuthoringTransaction
    ) throws -> Interaction? {
        guard let shown = timerBeforePause, let run = authoring.state.current else { return interaction }
        timerBeforePause = nil
        switch (interaction, shown.status) {
        case (.pause, _), (.toggle, .running): return nil
        case (.start, .stopped), (.toggle, .stopped), (.rest, .stopped):
            // The person saw that the session had closed by itself. The pause keeps it open, so close it.
            try authoring.write(.stop(run.id, at: run.anchor))
            return interaction
        default: return interaction
        }
    }

    mutating func perform(_ interaction: Interaction, _ authoring: inout AuthoringTransaction) throws {
        guard let interaction = try afterPause(try cleaned(interaction), &authoring) else { return }
        switch interaction {
        case .add(let phase): try checkNew(phase)
        case .retime(let name, let interval, _):
            addOverlaps(of: interval, besides: name, in: try history())
        default: break
        }
        if case .nameDevice(let name) = interaction {
            try device.store.setText(name, for: .deviceName)
        } else {
            try device.introduce(in: &authoring)
        }
        let actions = try interaction.actions(on: authoring.state, in: device.store, context).get()
        let undone = actions.compactMap { if case .undo(let target) = $0 { target } else { nil } }
        if let target = undone.first { try takeBack(target, with: undone.dropFirst(), &authoring) }
        for action in actions {
            switch action {
            case .undo: break
            case .device: try device.writeName(action, in: &authoring)
            default: try press(action, &authoring)
            }
        }
        // The next interaction acts on the result of this one, not on what was seen.
        context.seen = nil
    }

    func result(_ authoring: AuthoringTransaction) -> InteractionResult {
        InteractionResult(
            state: authoring.state, settingsBefore: settings, events: authoring.events, now: context.now,
            backdating: backdating, undoneEvent: undoneEvent, overlaps: overlaps,
            suspensionDeeds: suspensionDeeds)
    }

    /// Returns the interaction with its text as it will be shown, so that the log stores no more than that.
    private func cleaned(_ interaction: Interaction) throws(PerformFailure) -> Interaction {
        switch interaction {
        case .start(let label, let length, let begins):
            return .start(label: label.map(Text.cleaned), length: length, begins: begins)
        case .label(let text): return .label(Text.cleaned(text))
        case .relabel(let name, let text): return .relabel(name, Text.cleaned(text))
        case .split(let name, let instant, let label):
            return .split(name, at: instant, label: label.map(Text.cleaned))
        case .nameDevice(let name):
            let name = Text.cleaned(name)
            guard !name.isEmpty else { throw PerformFailure.emptyName }
            return .nameDevice(name)
        default: return interaction
        }
    }

    /// Throws if the history already has this entry, by its times and activity. No other process can add it
    /// during this transaction. Records the entries that overlap with it, to be reported.
    private mutating func checkNew(_ phase: PastPhase) throws {
        let history = try history()
        let same = history.records.first {
            $0.activity == phase.activity && $0.startedAt == phase.interval.from
                && $0.endedAt == phase.interval.to
        }
        guard let same else { return addOverlaps(of: phase.interval, in: history) }
        throw PerformFailure.duplicate(same, handle: RecordHandles(history).shown(same.name))
    }

    /// Records the entries of the history that overlap with the interval, to be reported. Time in which a
    /// phase was paused doesn't count.
    private mutating func addOverlaps(
        of interval: Interval, besides name: RecordName? = nil, in history: History
    ) {
        overlaps += history.records.filter { record in
            record.name != name
                && record.spans.intervals.contains { $0.from < interval.to && interval.from < $0.to }
        }
    }

    /// Writes an action, and records how far back it reached. Throws if it has no effect.
    private mutating func press(_ action: Action, _ authoring: inout AuthoringTransaction) throws {
        let before = authoring.state
        let event = try authoring.write(action)
        guard authoring.state.lastChange?.id == event.id else { throw PerformFailure.noEffect }
        guard context.ago > .zero else { return }
        let earliest = before.earliestEffect(of: action)
        let intended = min(action.at ?? event.time, event.time)
        let asked = context.now - context.ago
        let effective = max(earliest, intended)
        backdating = InteractionResult.Backdating(
            effective: effective,
            obstacle: effective > asked ? try obstacle(to: action, before, earliest > intended) : nil)
    }

    /// Returns the completed work if the interactions are a backdated stop or pause of a session that has
    /// ended by itself; otherwise nil.
    func completedBefore(
        _ interactions: [Interaction], _ state: ReplayState
    ) throws(StoreError) -> Set<RecordName>? {
        guard context.ago > .zero, interactions.first == .stop || interactions.first == .pause,
            TimerState(state, at: context.now).run == nil
        else { return nil }
        return try completedWork()
    }

    /// Throws if some of the completed work isn't completed any more.
    func checkCompleted(_ before: Set<RecordName>) throws {
        let lost = before.subtracting(try completedWork())
        if !lost.isEmpty { throw PerformFailure.takesCompleted(phases: lost.count) }
    }

    private func completedWork() throws(StoreError) -> Set<RecordName> {
        Set(
            try history().records.lazy.filter { $0.activity == .work && $0.outcome == .completed }
                .map { $0.name })
    }

    /// Throws if the interaction can't reach back as far as was asked.
    func checkReach() throws(PerformFailure) {
        if let backdating, backdating.obstacle != nil { throw .tooFarBack(backdating, now: context.now) }
    }

    /// Returns the reason why the action doesn't reach back as far as was asked.
    ///
    /// - Parameter isBlockedByEvent: Whether an event is in the way. If not, a limit of the action is.
    private func obstacle(
        to action: Action, _ state: ReplayState, _ isBlockedByEvent: Bool
    ) throws -> InteractionResult.Backdating.Obstacle? {
        guard isBlockedByEvent else {
            return if case .start = action { .workLength } else { .phase }
        }
        switch try device.store.obstacle(to: action, state) {
        case .event(let event, let isAside):
            return .press(event.action, on: try presser(of: event, state), isAside: isAside)
        case .ending: return .ending
        case nil: return nil
        }
    }

    /// Takes an event back, and the other events that belong to it. If the timer then looks the same, also
    /// takes back each event that stands in for it (`ReplayLog.standIn`).
    ///
    /// - Throws: `PerformFailure.needsConsent` if the person must be asked first (`UndoWarning`).
    private mutating func takeBack(
        _ id: EventID, with others: some Sequence<EventID>, _ authoring: inout AuthoringTransaction
    ) throws {
        guard let target = try device.store.event(id) else { throw InteractionError.nothingToUndo }
        let shown = TimerState(authoring.state, at: context.now)
        let isToBeAsked = try consent != .always && consent != .given(id) && device.store.latePress() != id
        // The history is read only if the undo may remove records from it or add some.
        let mayRemovePhase = authoring.state.mayRemovePhase(onceUndone: target, by: context.now)
        let mayChangeHistory =
            mayRemovePhase || authoring.state.mayAddLaterPhases(onceUndone: target, by: context.now)
        let before = isToBeAsked && mayChangeHistory ? try history() : nil
        undoneEvent = target
        try authoring.write(others.map { .undo($0) })
        var next: Event? = target
        while let event = next {
            try authoring.write(.undo(event.id))
            next = try device.store.standIn(for: event, shown: shown, authoring.state, at: context.now)
                .flatMap { try device.store.event($0) }
        }
        guard isToBeAsked else { return }
        let isChanged =
            before != nil
            && (mayRemovePhase
                || authoring.state.addsLaterPhases(sinceUndone: target.time, by: context.now))
        let warning = UndoWarning(
            target, before: isChanged ? before : nil, after: isChanged ? try history() : nil,
            pressedOn: try presser(of: target, authoring.state), now: context.now)
        if let warning { throw PerformFailure.needsConsent(warning) }
    }

    /// Returns the name of the laptop that wrote the event, or nil if it was this one.
    private func presser(of event: Event, _ state: ReplayState) throws(StoreError) -> String? {
        guard try !device.ownReplicas().contains(event.id.replica) else { return nil }
        return state.name(of: event.id.replica)
    }

    private func history() throws(StoreError) -> History {
        let (state, journal) = try device.store.history()
        return History(journal, state, at: context.now)
    }
}

extension Interaction {
    /// Whether an undecided suspension is decided about before the interaction. An undo or a redo is about an
    /// earlier press, not about a pause that nobody has seen yet.
    fileprivate var decidesAboutSuspensions: Bool {
        switch self {
        case .nameDevice, .undo, .redo: false
        default: true
        }
    }
}
