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
    ///   - accepted: The consequences of `ago` with which it is carried out all the same.
    /// - Returns: The result, with the state after it.
    /// - Throws: `PerformFailure`. Nothing was changed then.
    package func perform(
        _ interactions: Interaction..., ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        seen: ScreenTimer? = nil, accepting accepted: BackdatingConsent = .all
    ) throws(PerformFailure) -> InteractionResult {
        try perform(interactions, ago: ago, consent: consent, seen: seen, accepting: accepted)
    }

    /// Does the same as `perform(_:ago:consent:seen:accepting:)`.
    package func perform(
        _ interactions: [Interaction], ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        seen: ScreenTimer? = nil, accepting accepted: BackdatingConsent = .all
    ) throws(PerformFailure) -> InteractionResult {
        let clock = try PerformFailure.converting { () throws(StoreError) in try self.clock() }
        let now = clock.now()
        let (interactions, ago) = Device.backdating(interactions, ago, at: now)
        return try store.author(now: now) { (authoring) throws(PerformFailure) in
            let context = try PerformFailure.converting { () throws(StoreError) in
                PressContext(
                    now: now, ago: ago, offline: try isOffline(by: clock),
                    deviceKey: try store.deviceKey(), publicKey: try store.value(.publicKey),
                    seen: seen, mark: store.makeReplica().rawValue)
            }
            var performing = InteractionTransaction(
                device: self, consent: consent, context: context,
                settings: authoring.state.shownSettings)
            try performing.decideAboutSuspensions(before: interactions, &authoring)
            let ended =
                accepted.contains(.lostWork)
                ? nil : try performing.completedBefore(interactions, authoring.state)
            for interaction in interactions { try performing.perform(interaction, &authoring) }
            if let ended { try performing.checkCompleted(ended) }
            if !accepted.contains(.shortReach) { try performing.checkReach() }
            try PerformFailure.converting { () throws(StoreError) in
                try removeConflictNotice()
                // A press says that somebody has seen the timer run.
                if interactions.contains(where: { $0.isOnTimer }), try store.absence()?.isOver == true {
                    try store.setAbsence(nil)
                }
            }
            return performing.result(authoring)
        }.result
    }

    /// Carries out a person's answer to the open question about an absence.
    ///
    /// - Parameter question: The question that was shown, or nil if it isn't known.
    /// - Throws: `PerformFailure`. It is `InteractionError.nothingAsked` if that question isn't open any more.
    package func answer(
        _ answer: AbsenceAnswer, to question: AbsenceQuestion? = nil
    ) throws(PerformFailure) -> InteractionResult {
        let now = try PerformFailure.converting { () throws(StoreError) in try self.now() }
        return try store.author(now: now) { (authoring) throws(PerformFailure) in
            let asked = try PerformFailure.converting { () throws(StoreError) in try absenceQuestion() }
            guard let asked, question ?? asked == asked else { throw .notNow(.nothingAsked) }
            let settings = authoring.state.settings
            let actions = asked.actions(answer)
            try PerformFailure.converting { () throws(StoreError) in
                if actions.isEmpty {
                    try store.setKeptPress(try store.undoable(authoring.state)?.id)
                } else {
                    try authoring.introduceFreshReplica()
                    try authoring.write(actions)
                    try removeConflictNotice()
                }
                try store.setAbsence(nil)
            }
            return InteractionResult(
                state: authoring.state, settingsBefore: settings, events: authoring.events, now: now,
                backdating: nil, undoneEvent: nil, overlap: nil, suspensionDeeds: [])
        }.result
    }

    /// Checks that the timer and the log are still those on the screen. An undo finds its event in the log, to
    /// which another device may have added one since.
    ///
    /// - Parameter events: The number of events in the log on the screen (`ReplayState.eventCount`).
    /// - Throws: `PerformFailure`. It is `InteractionError.changed` if the timer or the log has changed since.
    package func checkUndo(on screen: ScreenTimer, events: UInt64) throws(PerformFailure) {
        let (state, present) = try PerformFailure.converting { () throws(StoreError) in
            let state = try store.state()
            return (state, ShownTimer(TimerState(state, at: try now())))
        }
        guard screen.isMeant(for: present), state.eventCount == events else {
            throw .notNow(.changed(to: present))
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
    package func introduce(in authoring: inout AuthoringTransaction) throws(StoreError) {
        guard authoring.state.devices[authoring.replica] == nil else { return }
        try writeName(
            .device(
                name: try name(), key: try store.deviceKey()?.hexadecimal,
                publicKey: try store.value(.publicKey)), in: &authoring)
    }

    /// Writes a `device` event. If it is the log's first event, also writes the first settings.
    func writeName(
        _ action: Action, in authoring: inout AuthoringTransaction
    ) throws(StoreError) {
        let isFirst = try store.eventCount() == 0
        try authoring.write(action)
        // In a group, the settings come from the group's log.
        if isFirst, try store.group() == nil { try authoring.write(Action.firstSettings) }
    }
}
