package import FocusCore
package import FocusStore

extension Device {
    /// Carries out what a person asks for: the one entry for all front ends.
    ///
    /// Looks at the log and writes to it in one transaction, so that no other process comes between; durable
    /// when this returns. The first thing that a device writes is its name.
    ///
    /// - Parameters:
    ///   - interactions: Mostly one; several are done together or not at all.
    ///   - ago: How long ago it took effect.
    ///   - seen: What was on the screen; nil where nothing is known of that.
    ///   - mayFallShort: Whether what can't take effect as long ago as that is done all the same, as long ago as it can.
    package func perform(
        _ interactions: Interaction..., ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        seen: SeenTimer? = nil, mayFallShort: Bool = true
    ) throws(PerformFailure) -> Performed {
        try perform(interactions, ago: ago, consent: consent, seen: seen, mayFallShort: mayFallShort)
    }

    /// As `perform(_:ago:consent:seen:mayFallShort:)`.
    package func perform(
        _ interactions: [Interaction], ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        seen: SeenTimer? = nil, mayFallShort: Bool = true
    ) throws(PerformFailure) -> Performed {
        try attempt(interactions, ago, consent, seen, mayFallShort, weighing: false)
    }

    private func attempt(
        _ interactions: [Interaction], _ ago: Duration, _ consent: UndoConsent, _ seen: SeenTimer?,
        _ mayFallShort: Bool, weighing: Bool
    ) throws(PerformFailure) -> Performed {
        do {
            let clock = try clock()
            let now = clock.now()
            return try store.author(now: now) { authoring in
                var performing = Performing(
                    device: self, consent: consent, isWeighing: weighing,
                    context: PressContext(
                        now: now, ago: ago, offline: try isOffline(by: clock),
                        deviceKey: try store.deviceKey(), publicKey: try store.value(.publicKey),
                        seen: seen, mark: store.makeReplica().rawValue),
                    settings: authoring.state.settings)
                try performing.decideAboutSleep(before: interactions, &authoring)
                for interaction in interactions { try performing.perform(interaction, &authoring) }
                if !mayFallShort { try performing.checkReach() }
                try forgetResolved()
                return performing.result(authoring)
            }.result
        } catch is MustWeigh {
            return try attempt(interactions, ago, consent, seen, mayFallShort, weighing: true)
        } catch let error as PerformFailure {
            throw error
        } catch let error as NotNow {
            throw .notNow(error)
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .store(StoreError(.failed, "\(error)"))
        }
    }
}

extension Device {
    /// Names the replica that the device writes as, where it hasn't been named yet: it may be a fresh one.
    package func introduce(in authoring: inout Authoring) throws {
        guard authoring.state.devices[authoring.replica] == nil else { return }
        let isFirst = try store.eventCount() == 0
        try authoring.write(
            .device(
                name: try name(), key: try store.deviceKey()?.hexadecimal,
                publicKey: try store.value(.publicKey)))
        // A log that is to be merged into another's has its settings from there.
        if isFirst, try store.group() == nil { try authoring.write(Action.firstSettings) }
    }
}

/// An undo may add to the history, or take away. To tell what, the history from before it is needed, which is looked up
/// only where it comes to that: the transaction is given up and tried anew.
private struct MustWeigh: Error {}

/// Interactions that are being carried out in one transaction.
private struct Performing {
    let device: Device
    let consent: UndoConsent
    /// Whether to find out what an undo does to the history, rather than whether it may do anything.
    let isWeighing: Bool
    var context: PressContext
    let settings: Settings
    var backdating: Performed.Backdating?
    var tookBack: Event?
    private var overlaps: [PhaseRecord] = []
    /// What was shown before the pause of a sleep was written, with the other presses of it; nil where none was.
    private var asleep: TimerState?
    private var woken: [Waking.Deed] = []

    init(
        device: Device, consent: UndoConsent, isWeighing: Bool, context: PressContext, settings: Settings
    ) {
        self.device = device
        self.consent = consent
        self.isWeighing = isWeighing
        self.context = context
        self.settings = settings
    }

    /// A press decides about a sleep of which it isn't known yet whether others were there: what it paused is written
    /// first, so that the press is on a timer that is right (docs/timer-rules.md §5). One that names an instant before
    /// the sleep says itself what was then.
    mutating func decideAboutSleep(before interactions: [Interaction], _ authoring: inout Authoring) throws {
        let undecided = try device.store.keptSleeps().filter { $0.pause == nil }
        guard let first = undecided.first, interactions.contains(where: \.decidesAboutSleep),
            context.ago == .zero || context.now - context.ago > first.sleep.from
        else { return }
        let shown = TimerState(authoring.state, at: context.now)
        for interaction in interactions { try interaction.check(context.seen, shown) }
        context.seen = nil
        let waking = try Waking(
            device.store, own: Set(device.ownReplicas()),
            presence: try device.store.group() == nil ? [] : nil, now: context.now)
        woken = try waking.perform(in: &authoring)
        if woken.contains(where: { if case .paused = $0 { true } else { false } }) { asleep = shown }
    }

    /// What is left to be done after the pause of a sleep; nil where that is it.
    private mutating func onWaking(
        _ interaction: Interaction, _ authoring: inout Authoring
    ) throws -> Interaction? {
        guard let shown = asleep, let run = authoring.state.current else { return interaction }
        asleep = nil
        switch (interaction, shown.status) {
        case (.pause, _), (.toggle, .running): return nil
        case (.start, .stopped), (.toggle, .stopped):
            // The session seemed to have closed by itself, and it has.
            try authoring.write(.stop(run.id, at: run.anchor))
            return interaction
        default: return interaction
        }
    }

    mutating func perform(_ interaction: Interaction, _ authoring: inout Authoring) throws {
        guard let interaction = try onWaking(try cleaned(interaction), &authoring) else { return }
        switch interaction {
        case .add(let phase): try checkNew(phase)
        case .retime(let name, let interval, _):
            keepOverlaps(of: interval, besides: name, in: try history())
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
            case .device: try authoring.write(action)
            default: try press(action, &authoring)
            }
        }
        // What is pressed along with it is on what it has led to.
        context.seen = nil
    }

    func result(_ authoring: Authoring) -> Performed {
        Performed(
            state: authoring.state, settingsBefore: settings, events: authoring.events, now: context.now,
            backdating: backdating, tookBack: tookBack, overlaps: overlaps, woken: woken)
    }

    /// Text as it will be shown, so that the log keeps no more than that.
    private func cleaned(_ interaction: Interaction) throws -> Interaction {
        switch interaction {
        case .start(let label): return .start(label: label.map(Text.cleaned))
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

    /// Throws where the history has this already, by its times and activity: whoever else adds it comes before this
    /// transaction or after it. What was done at that time besides is kept, to be told.
    private mutating func checkNew(_ phase: PastPhase) throws {
        let history = try history()
        let same = history.records.first {
            $0.activity == phase.activity && $0.startedAt == phase.interval.from
                && $0.endedAt == phase.interval.to
        }
        guard let same else { return keepOverlaps(of: phase.interval, in: history) }
        throw PerformFailure.alreadyThere(same, handle: RecordHandles(history).shown(same.name))
    }

    /// Keeps what the history has at that time besides, to be told. Time that a phase was paused for is free.
    private mutating func keepOverlaps(
        of interval: Interval, besides name: RecordName? = nil, in history: History
    ) {
        overlaps += history.records.filter { record in
            record.name != name
                && record.spans.intervals.contains { $0.from < interval.to && interval.from < $0.to }
        }
    }

    private mutating func press(_ action: Action, _ authoring: inout Authoring) throws {
        let before = authoring.state
        let event = try authoring.write(action)
        guard authoring.state.lastChange?.id == event.id else { throw PerformFailure.noEffect }
        guard context.ago > .zero else { return }
        let earliest = before.earliestEffect(of: action)
        let intended = min(action.at ?? event.time, event.time)
        let asked = context.now - context.ago
        let effective = max(earliest, intended)
        backdating = Performed.Backdating(
            effective: effective,
            obstacle: effective > asked ? try obstacle(to: action, before, earliest > intended) : nil)
    }

    /// Throws where it doesn't take effect as long ago as was asked.
    func checkReach() throws(PerformFailure) {
        if let backdating, backdating.obstacle != nil { throw .fallsShort(backdating, now: context.now) }
    }

    /// - Parameter isPressed: whether it is an event that keeps the action from taking effect as long ago as asked.
    private func obstacle(
        to action: Action, _ state: ReplayState, _ isPressed: Bool
    ) throws -> Performed.Backdating.Obstacle? {
        guard isPressed else { return .workLength }
        switch try device.store.obstacle(to: action, state) {
        case .event(let event, let isAside):
            return .press(event.action, on: try presser(of: event, state), isAside: isAside)
        case .ending: return .ending
        case nil: return nil
        }
    }

    /// Takes an event back, with those that belong to it.
    private mutating func takeBack(
        _ id: EventID, with others: some Sequence<EventID>, _ authoring: inout Authoring
    ) throws {
        guard let target = try device.store.event(id) else { throw NotNow.nothingToUndo }
        let shown = TimerState(authoring.state, at: context.now)
        let mayLose = authoring.state.mayLose(sinceUndone: target.time, by: context.now)
        let before = isWeighing ? try history() : nil
        tookBack = target
        try authoring.write(others.map { .undo($0) })
        var next: Event? = target
        while let event = next {
            try authoring.write(.undo(event.id))
            next = try device.store.standIn(for: event, shown: shown, authoring.state, at: context.now)
                .flatMap { try device.store.event($0) }
        }
        guard consent != .always, consent != .given(id), try device.store.latePress() != id else { return }
        let mayClaim = mayLose || authoring.state.claimsMore(sinceUndone: target.time, by: context.now)
        if mayClaim, before == nil { throw MustWeigh() }
        let claim = UndoClaim(
            target, before: mayClaim ? before : nil, after: mayClaim ? try history() : nil,
            pressedOn: try presser(of: target, authoring.state), now: context.now)
        if let claim { throw PerformFailure.claims(claim) }
    }

    /// The name of the laptop that wrote the event; nil where it was this one.
    private func presser(of event: Event, _ state: ReplayState) throws -> String? {
        guard try !device.ownReplicas().contains(event.id.replica) else { return nil }
        return state.name(of: event.id.replica)
    }

    private func history() throws -> History {
        let (state, journal) = try device.store.history()
        return History(journal, state, at: context.now)
    }
}

extension Interaction {
    /// Whether it is on the timer as it is, time asleep left out. An undo is of what was pressed before, not of a pause that
    /// nobody has seen yet.
    fileprivate var decidesAboutSleep: Bool {
        switch self {
        case .nameDevice, .undo, .redo: false
        default: true
        }
    }
}
