import FocusCore

/// Collects what replay finds for the history at one event. A class, so that it can be emptied after each.
final class JournalWriter: HistorySink {
    private(set) var entries: [JournalEntry] = []

    func phaseEnded(_ record: PhaseRecord) { entries.append(.record(record)) }

    func recorded(_ record: PhaseRecord) { entries.append(.record(record)) }

    func amended(_ amend: Action.Amend) { entries.append(.amendment(amend)) }

    func corrected(_ correction: TimeCorrection) { entries.append(.correction(correction)) }

    func removeAll() { entries.removeAll(keepingCapacity: true) }
}
