/// A log in memory together with what it comes to, kept up to date as events arrive in any order.
///
/// An event after all others is replayed alone. One that sorts into the past goes back to the checkpoint before
/// it and replays from there. Checkpoints are a cache: how many there are never shows.
package struct Timeline: Sendable {
    private struct Checkpoint: Sendable {
        let state: ReplayState
        let mark: Journal.Mark
    }

    /// All events that were merged.
    package private(set) var log = EventLog()
    /// What the whole log comes to.
    package private(set) var state = ReplayState()
    /// What the whole log has found for the history, in replay order.
    package private(set) var journal = Journal()
    private var checkpoints: [Checkpoint] = []
    private let checkpointInterval: UInt64

    /// An empty log; a checkpoint is kept every `checkpointInterval` events, none where that is 0.
    package init(checkpointInterval: UInt64 = 256) { self.checkpointInterval = checkpointInterval }

    /// Merges events in any order, each any number of times.
    ///
    /// Throws where the set would be no log, which then stays as it was. Cost: constant for an event after all
    /// others; else linear in the events after the checkpoint it goes back to.
    package mutating func merge(_ events: some Sequence<Event>) throws(EventLog.Refusal) {
        let new = try log.merge(events).sorted { $0.position < $1.position }
        guard let first = new.first else { return }
        let affected = new.map { log.firstAffected(by: $0) }.min() ?? first.position
        if !affected.isAfter(state.position) { goBack(before: affected) }
        // Taken out, so that the closure below doesn't hold on to the whole of `self`.
        var kept = checkpoints
        checkpoints = []
        let interval = checkpointInterval
        log.replay(&state, history: &journal) { state, journal in
            guard interval > 0, state.eventCount % interval == 0 else { return }
            kept.append(Checkpoint(state: copy state, mark: journal.mark))
        }
        checkpoints = kept
    }

    private mutating func goBack(before position: Position) {
        while let last = checkpoints.last, !position.isAfter(last.state.position) { checkpoints.removeLast() }
        state = checkpoints.last?.state ?? ReplayState()
        journal.cut(to: checkpoints.last?.mark ?? Journal.Mark())
    }
}
