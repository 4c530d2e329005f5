package import FocusCore
import FocusStore

extension Device {
    /// Carries out what a person asks for: the one entry for all front ends.
    ///
    /// Looks at the log and writes to it in one transaction, so that no other process comes between; durable
    /// when this returns. The first thing that a device writes is its name.
    ///
    /// - Parameters:
    ///   - interactions: Mostly one; several are done together or not at all.
    ///   - ago: How long ago it took effect, in milliseconds.
    package func perform(
        _ interactions: Interaction..., ago: Int64 = 0, consent: UndoConsent = .toBeAsked
    ) throws(PerformFailure) -> Performed {
        try perform(interactions, ago: ago, consent: consent)
    }

    /// As `perform(_:ago:consent:)`.
    package func perform(
        _ interactions: [Interaction], ago: Int64 = 0, consent: UndoConsent = .toBeAsked
    ) throws(PerformFailure) -> Performed {
        try attempt(interactions, ago, consent, weighing: false)
    }

    private func attempt(
        _ interactions: [Interaction], _ ago: Int64, _ consent: UndoConsent, weighing: Bool
    ) throws(PerformFailure) -> Performed {
        do {
            let clock = try clock()
            let now = clock.now()
            return try store.author(now: now) { authoring in
                var performing = Performing(
                    device: self, consent: consent, isWeighing: weighing,
                    context: PressContext(
                        now: now, ago: ago, offline: try isOffline(by: clock),
                        deviceKey: try store.text(.deviceKey), publicKey: try store.value(.publicKey),
                        next: authoring.next),
                    settings: authoring.state.settings)
                for interaction in interactions { try performing.perform(interaction, &authoring) }
                return performing.result(authoring)
            }.result
        } catch is MustWeigh {
            return try attempt(interactions, ago, consent, weighing: true)
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
    func introduce(in authoring: inout Authoring) throws {
        guard authoring.state.devices[authoring.replica] == nil else { return }
        try authoring.write(
            .device(
                name: try name(), key: try store.text(.deviceKey), publicKey: try store.value(.publicKey)))
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

    mutating func perform(_ interaction: Interaction, _ authoring: inout Authoring) throws {
        let interaction = try cleaned(interaction)
        if case .nameDevice(let name) = interaction {
            try device.store.setText(name, for: .deviceName)
        } else {
            try device.introduce(in: &authoring)
        }
        context.next = authoring.next
        for action in try interaction.actions(on: authoring.state, in: device.store, context) {
            switch action {
            case .undo(let target): try takeBack(target, &authoring)
            case .device: try authoring.write(action)
            default: try press(action, &authoring)
            }
        }
    }

    func result(_ authoring: Authoring) -> Performed {
        Performed(
            state: authoring.state, settingsBefore: settings, events: authoring.events, now: context.now,
            backdating: backdating, tookBack: tookBack)
    }

    /// Text as it will be shown, so that the log keeps no more than that.
    private func cleaned(_ interaction: Interaction) throws -> Interaction {
        switch interaction {
        case .start(let label): return .start(label: label.map(Text.cleaned))
        case .label(let text): return .label(Text.cleaned(text))
        case .relabel(let name, let text): return .relabel(name, Text.cleaned(text))
        case .nameDevice(let name):
            let name = Text.cleaned(name)
            guard !name.isEmpty else { throw PerformFailure.emptyName }
            return .nameDevice(name)
        default: return interaction
        }
    }

    private mutating func press(_ action: Action, _ authoring: inout Authoring) throws {
        let earliest = authoring.state.earliestEffect(of: action)
        let event = try authoring.write(action)
        guard authoring.state.lastChange?.id == event.id else { throw PerformFailure.noEffect }
        if context.ago > 0 {
            let effective = max(earliest, min(action.at ?? event.time, event.time))
            let asked = context.now.subtractingReportingOverflow(context.ago).partialValue
            backdating = Performed.Backdating(asked: asked, effective: effective)
        }
    }

    private mutating func takeBack(_ id: EventID, _ authoring: inout Authoring) throws {
        guard let target = try device.store.event(id) else { throw NotNow.nothingToUndo }
        let shown = TimerState(authoring.state, at: context.now)
        let mayLose = authoring.state.mayLose(sinceUndone: target.time, by: context.now)
        let before = isWeighing ? try history() : nil
        tookBack = target
        var next: Event? = target
        while let event = next {
            try authoring.write(.undo(event.id))
            next = try device.store.standIn(for: event, shown: shown, authoring.state, at: context.now)
                .flatMap { try device.store.event($0) }
        }
        guard consent != .always, consent != .given(id) else { return }
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
        return state.devices[event.id.replica]?.name ?? "another laptop"
    }

    private func history() throws -> History {
        let (state, journal) = try device.store.history()
        return History(journal, state, at: context.now)
    }
}

extension ReplayState {
    /// The earliest instant at which the action can take effect (docs/timer-rules.md §4): not before what was
    /// last pressed on its run, and for a start, on any.
    fileprivate func earliestEffect(of action: Action) -> Int64 {
        guard let run = action.run else { return latestEffect }
        return openRun(run)?.anchor ?? latestEffect
    }
}
