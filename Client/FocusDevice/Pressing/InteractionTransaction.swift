import FocusCore
import FocusStore

/// Interactions that are carried out in one transaction.
struct InteractionTransaction {
    private let device: Device
    private let consent: UndoConsent
    private var context: PressContext
    private let settings: Settings
    private var backdating: InteractionResult.Backdating?
    private var undoneEvent: Event?
    private var overlap: InteractionResult.Overlap?
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
    ) throws(PerformFailure) {
        let undecided = try PerformFailure.converting { () throws(StoreError) in
            try device.store.storedSuspensions().filter { $0.pause == nil }
        }
        guard let first = undecided.first, interactions.contains(where: { $0.decidesAboutSuspensions }),
            context.ago == .zero || context.now - context.ago > first.sleep.from
        else { return }
        let shown = TimerState(authoring.state, at: context.now)
        do throws(InteractionError) {
            for interaction in interactions { try interaction.check(context.seen, shown) }
        } catch {
            throw .notNow(error)
        }
        context.seen = nil
        suspensionDeeds = try PerformFailure.converting { () throws(StoreError) in
            try SuspensionHandling(
                device.store, own: device.ownReplicas(),
                presence: device.store.group() == nil ? [] : nil, now: context.now
            ).perform(in: &authoring)
        }
        if suspensionDeeds.contains(where: { if case .paused = $0 { true } else { false } }) {
            timerBeforePause = shown
        }
    }

    /// Returns the interaction to perform after the pause for a suspension, or nil if the pause was all that
    /// the person wanted.
    private mutating func afterPause(
        _ interaction: Interaction, _ authoring: inout AuthoringTransaction
    ) throws(StoreError) -> Interaction? {
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

    mutating func perform(
        _ interaction: Interaction, _ authoring: inout AuthoringTransaction
    ) throws(PerformFailure) {
        let cleaned = try cleaned(interaction)
        let left = try PerformFailure.converting { () throws(StoreError) in
            try afterPause(cleaned, &authoring)
        }
        guard let interaction = left else { return }
        switch interaction {
        case .add(let phase): try checkNew(phase)
        case .retime(let name, let interval, _):
            let history = try history()
            let activity = history.records.first { $0.name == name }?.activity
            setOverlap(of: interval, activity, besides: name, in: history)
        default: break
        }
        let found = try PerformFailure.converting { () throws(StoreError) in
            if case .nameDevice(let name) = interaction {
                try device.store.setText(name, for: .deviceName)
            } else {
                try device.introduce(in: &authoring)
            }
            return try interaction.actions(on: authoring.state, in: device.store, context)
        }
        let actions = try found.mapError { PerformFailure.notNow($0) }.get()
        let undone = actions.compactMap { if case .undo(let target) = $0 { target } else { nil } }
        if let target = undone.first { try takeBack(target, with: undone.dropFirst(), &authoring) }
        for action in actions {
            switch action {
            case .undo: break
            case .device:
                try PerformFailure.converting { () throws(StoreError) in
                    try device.writeName(action, in: &authoring)
                }
            default: try press(action, &authoring)
            }
        }
        // The next interaction acts on the result of this one, not on what was seen.
        context.seen = nil
    }

    func result(_ authoring: AuthoringTransaction) -> InteractionResult {
        InteractionResult(
            state: authoring.state, settingsBefore: settings, events: authoring.events, now: context.now,
            backdating: backdating, undoneEvent: undoneEvent, overlap: overlap,
            suspensionDeeds: suspensionDeeds)
    }

    /// Returns the interaction with its text as it will be shown, so that the log stores no more than that.
    private func cleaned(_ interaction: Interaction) throws(PerformFailure) -> Interaction {
        switch interaction {
        case .start(let label, let length, let begins):
            return .start(label: label.map(Text.oneLine), length: length, begins: begins)
        case .label(let text): return .label(Text.oneLine(text))
        case .relabel(let name, let text): return .relabel(name, Text.oneLine(text))
        case .split(let name, let instant, let label):
            return .split(name, at: instant, label: label.map(Text.oneLine))
        case .nameDevice(let name):
            let name = Text.oneLine(name)
            guard !name.isEmpty else { throw .emptyName }
            return .nameDevice(name)
        default: return interaction
        }
    }

    /// Throws if the history already has this entry, by its times and activity. No other process can add it
    /// during this transaction. Records the entries that overlap with it, to be reported.
    private mutating func checkNew(_ phase: PastPhase) throws(PerformFailure) {
        let history = try history()
        let same = history.records.first {
            $0.activity == phase.activity && $0.startedAt == phase.interval.from
                && $0.endedAt == phase.interval.to
        }
        guard let same else { return setOverlap(of: phase.interval, phase.activity, in: history) }
        throw .duplicate(same, handle: RecordHandles(history).shown(same.name))
    }

    /// Records the entries of the history that overlap with the interval, to be reported. Time in which a
    /// phase was paused doesn't count.
    private mutating func setOverlap(
        of interval: Interval, _ activity: Activity?, besides name: RecordName? = nil, in history: History
    ) {
        let overlaps = history.records.filter { record in
            record.name != name
                && record.spans.intervals.contains { $0.from < interval.to && interval.from < $0.to }
        }
        guard let first = overlaps.first else { return }
        overlap = InteractionResult.Overlap(
            first: first, handle: RecordHandles(history).shown(first.name), count: overlaps.count,
            sharesFocusTime: activity == .work && overlaps.contains { $0.activity == .work })
    }

    /// Writes an action, and records how far back it reached. Throws if it has no effect.
    private mutating func press(
        _ action: Action, _ authoring: inout AuthoringTransaction
    ) throws(PerformFailure) {
        let before = authoring.state
        let event = try PerformFailure.converting { () throws(StoreError) in try authoring.write(action) }
        guard authoring.state.lastChange?.id == event.id else { throw .noEffect }
        guard context.ago > .zero else { return }
        let earliest = before.earliestEffect(of: action)
        let intended = min(action.at ?? event.time, event.time)
        let asked = context.now - context.ago
        let effective = max(earliest, intended)
        let obstacle = try PerformFailure.converting { () throws(StoreError) in
            effective > asked ? try self.obstacle(to: action, before, earliest > intended) : nil
        }
        backdating = InteractionResult.Backdating(
            asked: asked, effective: effective, obstacle: obstacle)
    }

    /// Returns the completed work if the interactions are a backdated stop or pause of a session that has
    /// ended by itself; otherwise nil.
    func completedBefore(
        _ interactions: [Interaction], _ state: ReplayState
    ) throws(PerformFailure) -> Set<RecordName>? {
        guard context.ago > .zero, interactions.first == .stop || interactions.first == .pause,
            TimerState(state, at: context.now).run == nil
        else { return nil }
        return try completedWork()
    }

    /// Throws if some of the completed work isn't completed any more.
    func checkCompleted(_ before: Set<RecordName>) throws(PerformFailure) {
        let lost = before.subtracting(try completedWork())
        if !lost.isEmpty { throw .takesCompleted(phases: lost.count, ago: context.ago) }
    }

    private func completedWork() throws(PerformFailure) -> Set<RecordName> {
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
    ) throws(StoreError) -> InteractionResult.Backdating.Obstacle? {
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
    ) throws(PerformFailure) {
        let store = device.store
        let (found, late, kept) = try PerformFailure.converting { () throws(StoreError) in
            (try store.event(id), try store.latePress(), try store.keptPress())
        }
        guard let target = found else { throw .notNow(.nothingToUndo) }
        let isToBeAsked = consent != .always && consent != .given(id) && late != id
        let shown = TimerState(authoring.state, at: context.now)
        // The history is read only if the undo may remove records from it or add some.
        let mayRemovePhase = authoring.state.mayRemovePhase(onceUndone: target, by: context.now)
        let mayChangeHistory =
            mayRemovePhase || authoring.state.mayAddLaterPhases(onceUndone: target, by: context.now)
        let before = isToBeAsked && mayChangeHistory ? try history() : nil
        undoneEvent = target
        let undos = others.map { Action.undo($0) }
        try PerformFailure.converting { () throws(StoreError) in
            try authoring.write(undos)
            var next: Event? = target
            while let event = next {
                try authoring.write(.undo(event.id))
                let standIn = try store.standIn(for: event, shown: shown, authoring.state, at: context.now)
                next = if let standIn { try store.event(standIn) } else { nil }
            }
            // The person has agreed to go further back than the answer.
            if kept == id { try store.setKeptPress(nil) }
        }
        guard isToBeAsked else { return }
        let isChanged =
            before != nil
            && (mayRemovePhase
                || authoring.state.addsLaterPhases(sinceUndone: target.time, by: context.now))
        let presser = try PerformFailure.converting { () throws(StoreError) in
            consent == .named ? nil : try self.presser(of: target, authoring.state)
        }
        let warning = UndoWarning(
            target, before: isChanged ? before : nil, after: isChanged ? try history() : nil,
            pressedOn: presser, isAfterKeeping: kept == id && consent != .named, now: context.now)
        if let warning { throw .needsConsent(warning) }
    }

    /// Returns the name of the laptop that wrote the event, or nil if it was this one.
    private func presser(of event: Event, _ state: ReplayState) throws(StoreError) -> String? {
        guard try !device.ownReplicas().contains(event.id.replica) else { return nil }
        return state.name(of: event.id.replica)
    }

    private func history() throws(PerformFailure) -> History {
        let (state, journal) = try PerformFailure.converting { () throws(StoreError) in
            try device.store.history()
        }
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
