package import FocusCore
package import FocusStore

// Times in which nobody was at the laptop (docs/timer-rules.md §5, "Nobody there").
extension Device {
    /// Stores that nobody has been at the laptop for `ago`, if the setting `idle` is on and a session runs. An
    /// absence that ended shortly before goes on; otherwise an open question about it ends.
    package func absenceBegan(ago: Duration = .zero) throws {
        let now = try now()
        guard try LaptopSetting.idle.isOn(store) else { return }
        try store.atomically {
            let state = try store.state()
            let former = try store.absence()
            var from = now - ago
            if let former, former.reaches(from) { from = min(from, former.from) }
            // Time that the machine slept through is dealt with by itself.
            let slept = try store.storedSuspensions().map(\.sleep.until).max()
            guard let absence = Absence(from: max(from, slept ?? from)), absence.concerns(state) else {
                return
            }
            try store.setAbsence(absence)
        }
    }

    /// Stores that somebody is at the laptop again. Removes the absence if there is nothing to ask about.
    ///
    /// - Returns: The question that is open now, or nil if there is none.
    @discardableResult
    package func absenceEnded() throws -> AbsenceQuestion? {
        let now = try now()
        return try store.atomically {
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
        try store.reading {
            guard let absence = try store.absence(), absence.isOver, try LaptopSetting.idle.isOn(store),
                try !hasUndecidedSuspensions()
            else { return nil }
            return try AbsenceQuestion(about: absence, store.state(), in: store, own: ownReplicas())
        }
    }
}
