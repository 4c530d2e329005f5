/// What keeps a press from taking effect as long ago as it is said to have happened (docs/timer-rules.md §4).
package enum Obstacle: Hashable, Sendable {
    /// An event that took effect later: the last one that acts on the press's run, or for a start, the last of those that
    /// no other took effect after.
    ///
    /// `isAside`: it acts on a session that isn't everyone's, as only a start has to do with.
    case event(Event, isAside: Bool)
    /// A session ended by itself later, as nobody was there, which only a start has to do with.
    case ending
}

extension ReplayState {
    /// The earliest instant at which the action can take effect: not before what
    /// was last pressed on its run, and for a start, on any.
    package func earliestEffect(of action: Action) -> SharedInstant {
        guard let run = action.run else { return latestEffect }
        return openRun(run)?.anchor ?? latestEffect
    }
}

extension ReplayLog {
    /// What keeps an action from taking effect before the earliest instant at which it can; nil where nothing was pressed
    /// before it.
    ///
    /// Cost: that of the state before each of the changes that are passed over, which is linear in the events since the
    /// checkpoint before it. What acts on the current run is mostly the last one.
    ///
    /// - Parameter state: what the log came to before the action.
    package func obstacle(to action: Action, _ state: ReplayState) throws(Failure) -> Obstacle? {
        var after = state
        while let change = after.lastChange, let event = try event(change.id) {
            let before = try self.state(before: change.position)
            if let run = action.run {
                if event.acts(on: run, before, after) { return .event(event, isAside: false) }
            } else if event.effect(before, after) == state.latestEffect {
                return .event(event, isAside: event.isAside(before, after))
            } else if before.latestEffect != state.latestEffect {
                // What has ended by itself is found by whatever looks at it next.
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

    /// Whether the event, which has changed something, acts on this run or moves it, as a setting does.
    fileprivate func acts(on run: RunID, _ before: ReplayState, _ after: ReplayState) -> Bool {
        runChanged == run || before.openRun(run)?.anchor != after.openRun(run)?.anchor
    }

    /// The instant at which the event, which has changed something, took effect on a run; nil where on none.
    fileprivate func effect(_ before: ReplayState, _ after: ReplayState) -> SharedInstant? {
        switch action {
        case .set: before.current?.anchor != after.current?.anchor ? after.current?.anchor : nil
        case .start: max(before.latestEffect, min(action.at ?? time, time))
        default:
            action.run.flatMap { before.openRun($0)?.anchor }.map { max($0, min(action.at ?? time, time)) }
        }
    }

    /// Whether it acts on a session that isn't everyone's.
    fileprivate func isAside(_ before: ReplayState, _ after: ReplayState) -> Bool {
        (before.sideRuns + after.sideRuns).contains { $0.run.id == runChanged }
    }
}
