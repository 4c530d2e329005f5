/// The reason why a press can't take effect as long ago as its author says (docs/timer-rules.md §4).
package enum Obstacle: Hashable, Sendable {
    /// An event that took effect later: the last one that acts on the run of the press. For a start, it is
    /// the event with the latest effective instant.
    ///
    /// `isAside`: Whether the event acts on a side run, which matters only to a start.
    case event(Event, isAside: Bool)
    /// A run that closed by itself later, because nobody was there. This matters only to a start.
    case ending
}

extension ReplayState {
    /// Returns the earliest instant at which the action can take effect. It isn't before the last press on
    /// its run or, for a start, on any run.
    package func earliestEffect(of action: Action) -> SharedInstant {
        guard let run = action.run else { return latestEffect }
        return openRun(run)?.anchor ?? latestEffect
    }
}

extension ReplayLog {
    /// Returns the reason why an action can't take effect before its earliest instant, or nil if nothing was
    /// pressed before the action.
    ///
    /// Cost: a replay from a checkpoint for each change that is checked, usually only the last one.
    ///
    /// - Parameter state: The state after replaying the log, before the action.
    package func obstacle(to action: Action, _ state: ReplayState) throws(Failure) -> Obstacle? {
        var after = state
        while let change = after.lastChange, let event = try event(change.id) {
            let before = try self.state(before: change.position)
            if let run = action.run {
                if event.acts(on: run, before, after) { return .event(event, isAside: false) }
            } else if event.effectiveInstant(before, after) == state.latestEffect {
                return .event(event, isAside: event.isAside(before, after))
            } else if before.latestEffect != state.latestEffect {
                // The event found that a run had closed by itself, and that closing has the latest effective
                // instant.
                return .ending
            }
            after = before
        }
        return nil
    }
}

extension Event {
    /// The run that the event begins or names.
    var runChanged: RunID? {
        if case .start = action { RunID(position) } else { action.run }
    }

    /// Whether the event acts on this run, or moves its anchor as a setting does. Only for an event that
    /// changed the state from `before` to `after`.
    fileprivate func acts(on run: RunID, _ before: ReplayState, _ after: ReplayState) -> Bool {
        runChanged == run || before.openRun(run)?.anchor != after.openRun(run)?.anchor
    }

    /// Returns the instant at which the event took effect on a run, or nil if it acts on no run. Only for an
    /// event that changed the state from `before` to `after`.
    fileprivate func effectiveInstant(_ before: ReplayState, _ after: ReplayState) -> SharedInstant? {
        switch action {
        case .set, .profile:
            before.current?.anchor != after.current?.anchor ? after.current?.anchor : nil
        case .start: max(before.latestEffect, min(action.at ?? time, time))
        default:
            action.run.flatMap { before.openRun($0)?.anchor }.map { max($0, min(action.at ?? time, time)) }
        }
    }

    /// Whether the event acts on a side run.
    fileprivate func isAside(_ before: ReplayState, _ after: ReplayState) -> Bool {
        (before.sideRuns + after.sideRuns).contains { $0.run.id == runChanged }
    }
}
