/// Where phases that have ended go.
package protocol PhaseSink {
    mutating func phaseEnded(_ record: PhaseRecord)
}

/// Where replay puts what it finds for the history.
package protocol HistorySink: PhaseSink {
    /// A `record` event that says something possible; of several with one source the first counts.
    mutating func recorded(_ record: PhaseRecord)
    mutating func amended(_ amend: Action.Amend)
    /// A `retime` that says something possible, or a `split`.
    mutating func corrected(_ correction: TimeCorrection)
}

/// For replay that only wants the state.
package struct NoHistory: HistorySink {
    /// A sink that keeps nothing.
    package init() {}
    /// Drops the record.
    package mutating func phaseEnded(_ record: PhaseRecord) {}
    /// Drops the record.
    package mutating func recorded(_ record: PhaseRecord) {}
    /// Drops the correction.
    package mutating func amended(_ amend: Action.Amend) {}
    /// Drops the correction.
    package mutating func corrected(_ correction: TimeCorrection) {}
}

/// Phases that a look at a run found to have ended: they become history only where the look is kept.
struct EndedPhases: PhaseSink {
    // Most looks find one phase at most, which then needs no array.
    private var first: PhaseRecord?
    private var rest: [PhaseRecord] = []

    mutating func phaseEnded(_ record: PhaseRecord) {
        if first == nil { first = record } else { rest.append(record) }
    }

    var records: [PhaseRecord] { (first.map { [$0] } ?? []) + rest }

    func move(to history: inout some PhaseSink) {
        guard let first else { return }
        history.phaseEnded(first)
        for record in rest { history.phaseEnded(record) }
    }
}
