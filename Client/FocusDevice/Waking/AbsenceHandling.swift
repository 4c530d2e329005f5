package import FocusCore
package import FocusStore

// Times in which nobody was at the laptop (docs/timer-rules.md §5, "Nobody there").
extension Device {
    /// Stores that nobody has been at the laptop for `ago`, if the setting `idle` is on and a session runs. An
    /// absence that ended shortly before goes on; otherwise an open question about it ends.
    package func absenceBegan(ago: Duration = .zero) throws(StoreError) {
        let now = try now()
        guard try LaptopSetting.idle.isOn(store) else { return }
        try store.atomically { () throws(StoreError) in
            let state = try store.state()
            let former = try store.absence()
            var from = now - ago
            if let former, former.reaches(from) { from = min(from, former.from) }
            // Time that the machine slept through is dealt with by itself.
            let slept = try store.storedSuspensions().map { $0.sleep.until }.max()
            guard let absence = Absence(from: max(from, slept ?? from)), absence.concerns(state) else {
                return
            }
            try store.setAbsence(absence)
        }
    }

    /// Returns the time until it matters whether somebody is there: zero while work runs. Nil if it doesn't
    /// before the next press, or the setting `idle` is off.
    ///
    /// - Parameter isAway: Whether nobody is there now. If so, the return matters while a session is open.
    package func untilAbsenceMatters(isAway: Bool) throws(StoreError) -> Duration? {
        guard try LaptopSetting.idle.isOn(store) else { return nil }
        let now = try now()
        let timer = TimerState(try store.state(), at: now)
        switch timer.status {
        case .stopped: return nil
        case .running(let run, _, _) where run.activity == .work: return .zero
        case .waiting, .running:
            return isAway ? .zero : timer.nextChange.map { max(.milliseconds(1), $0 - now) }
        case .paused: return isAway ? .zero : nil
        }
    }

    /// Stores that somebody has been at the laptop again for `ago`. Removes the absence if there is nothing to
    /// ask about.
    ///
    /// - Returns: The question that is open now, or nil if there is none.
    @discardableResult
    package func absenceEnded(ago: Duration = .zero) throws(StoreError) -> AbsenceQuestion? {
        let now = try now() - ago
        return try store.atomically { () throws(StoreError) in
            if let absence = try store.absence(), !absence.isOver {
                try store.setAbsence(Absence(from: absence.from, until: max(now, absence.from)))
            }
            let question = try absenceQuestion()
            if question == nil { try store.setAbsence(nil) }
            return question
        }
    }

    /// Returns the open question about an absence, or nil if there is none. There is none while it is undecided
    /// whether a later suspension becomes a pause.
    package func absenceQuestion() throws(StoreError) -> AbsenceQuestion? {
        try store.reading { () throws(StoreError) in
            guard let absence = try store.absence(), absence.isOver, try LaptopSetting.idle.isOn(store),
                try !hasUndecidedSuspensions()
            else { return nil }
            return try AbsenceQuestion(about: absence, store.state(), in: store, own: ownReplicas())
        }
    }
}
