/// A press that reached this device long after it was made, and took out of the history what had been shown since
/// (docs/timer-rules.md §5).
package struct LatePress: Hashable, Sendable {
    package let event: Event
    /// How long ago it took effect, in milliseconds.
    package let ago: Int64
    /// How many work phases that had ended left the history.
    package let phases: Int64
    /// Whether it is what an undo takes back.
    package let isLast: Bool

    /// Nil where no press of these reaches back so far, or nothing left the history on account of it.
    ///
    /// - Parameters:
    ///   - before: The log's state as it was.
    ///   - after: Its state with what has come since.
    ///   - log: The log that `after` is the replay of.
    ///   - now: Milliseconds since the Unix epoch.
    ///   - news: What other devices wrote that wasn't there before, in replay order. It is asked for only where it comes to
    ///     that, as is `history`, what the history is with it.
    package init?<Log: ReplayLog>(
        from before: ReplayState, to after: ReplayState, in log: borrowing Log, at now: Int64,
        news: () throws(Log.Failure) -> [Event], history: () throws(Log.Failure) -> History
    ) throws(Log.Failure) {
        guard let run = before.current?.id, let shown = before.phasesEnded(at: now), shown > 0,
            let event = try news().last(where: { ($0.action.run ?? $0.action.startedAfter) == run })
        else { return nil }
        let instant = event.action.at ?? event.time
        guard let then = before.phasesEnded(at: instant), then < shown else { return nil }
        let left: Int64
        if let open = after.openRun(run) {
            var state = after
            state.current = open
            left = state.phasesEnded(at: now) ?? 0
        } else {
            let last = try history().records.last { $0.run == run && $0.source == nil }
            left = last.map { $0.outcome == .stopped ? $0.ordinal : $0.ordinal + 1 } ?? 0
        }
        // Every second phase is work, from the first on.
        phases = (shown + 1) / 2 - (left + 1) / 2
        guard phases > 0 else { return nil }
        self.event = event
        ago = max(0, now.subtractingReportingOverflow(instant).partialValue)
        isLast = try log.lastPress(after)?.id == event.id
    }
}

extension Action {
    /// The run that a start knows of and ends.
    fileprivate var startedAfter: RunID? {
        if case .start(let start) = self { start.after } else { nil }
    }
}

extension ReplayState {
    /// How many phases of the current run have ended by an instant; nil where none is current.
    fileprivate func phasesEnded(at instant: Int64) -> Int64? {
        guard var run = current else { return nil }
        var ended = EndedPhases()
        switch run.advance(to: max(instant, run.anchor), settings, &ended) {
        case .open: return run.phase.ordinal
        case .closed: return run.phase.ordinal + 1
        }
    }
}
