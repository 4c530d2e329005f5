extension EventLog: ReplayLog {
    /// Nothing can fail, because the log is in memory.
    package typealias Failure = Never

    /// Returns the events after `position`, or all events if it is nil, in replay order.
    ///
    /// Cost: before the first event, O(r log r) in the number r of replicas, and a binary search in each.
    /// Then the cost of `OrderedEvents`.
    package func events(after position: Position?) -> OrderedEvents { OrderedEvents(self, after: position) }

    /// Returns the undos after `position`, or all undos if it is nil, in replay order. Cost: linear in the
    /// result.
    package func undos(after position: Position?) -> [Undo] {
        Array(undos[undos.partitioningIndex { $0.position.isAfter(position) }...])
    }

    /// Returns the undos that name this event, in the order in which they were merged. Cost: constant.
    package func undos(of id: EventID) -> [Undo] { undosByTarget[id] ?? [] }

    /// Returns the position of the first start with an `after` that names a run beginning later than the
    /// start itself, or nil if there is none.
    ///
    /// Cost: linear in such starts, which devices hardly ever write.
    package func earliestForwardStart() -> Position? { forwardStarts.min() }

    /// Returns the state of an empty log, because this log keeps no checkpoints.
    package func checkpoint(before position: Position) -> ReplayState { ReplayState() }

    /// Returns the state of the whole log, and the entries that it found for the history. An extension of
    /// `ReplayLog` has the same method. It is repeated here because a generic method isn't specialised when
    /// another module calls it.
    package func replayed() -> (ReplayState, Journal) {
        var state = ReplayState()
        var journal = Journal()
        replay(&state, history: &journal)
        return (state, journal)
    }
}

extension EventLog {
    /// The events of a log in replay order, merged from its branches.
    ///
    /// Cost: constant for each event while one replica's events follow one another, otherwise at most linear
    /// in the number of replicas.
    package struct OrderedEvents: EventCursor {
        /// A branch, and the position of its next event.
        private struct Turn {
            var position: Position
            let branch: Int
        }

        private let branches: [Branch]
        /// The number of events of each branch that were returned.
        private var given: [Int]
        /// The branches with events left, except for the front one, in descending order of position. A `Turn`
        /// holds no references, so that moving it is cheap.
        private var waiting: [Turn]
        /// The branch with the next event, or nil at the end.
        private var front: Turn?

        fileprivate init(_ log: EventLog, after position: Position?) {
            branches = log.branches
            given = branches.map { $0.index(ofFirstAfter: position) }
            waiting = []
            for (index, branch) in branches.enumerated() where given[index] < branch.entries.count {
                waiting.append(Turn(position: branch.position(given[index]), branch: index))
            }
            waiting.sort { $0.position > $1.position }
            front = waiting.popLast()
        }

        /// Returns the next event in replay order, or nil at the end.
        package mutating func next() -> Event? {
            guard var turn = front else { return nil }
            let index = given[turn.branch]
            let next = index + 1
            given[turn.branch] = next
            if next < branches[turn.branch].entries.count {
                turn.position = branches[turn.branch].position(next)
                front = waiting.isEmpty ? turn : exchange(turn)
            } else {
                front = waiting.popLast()
            }
            return branches[turn.branch].event(index)
        }

        /// Returns the branch with the next event: `turn` or the first waiting one. In the second case,
        /// `turn` waits instead.
        private mutating func exchange(_ turn: Turn) -> Turn {
            var place = waiting.count - 1
            let first = waiting[place]
            if turn.position < first.position { return turn }
            while place > 0, waiting[place - 1].position < turn.position {
                waiting[place] = waiting[place - 1]
                place -= 1
            }
            waiting[place] = turn
            return first
        }
    }
}

extension EventLog.Branch {
    fileprivate func position(_ index: Int) -> Position {
        Position(stamp: entries[index].stamp, replica: replica)
    }
}

/// A log in memory with the state after replaying it, kept up to date as events arrive in any order.
///
/// An event after all others is replayed by itself. An event that sorts into the past causes a replay from
/// the checkpoint before it. Checkpoints are a cache: their number never changes the result.
package struct Timeline: Sendable {
    private struct Checkpoint: Sendable {
        let state: ReplayState
        let mark: Journal.Mark
    }

    /// The events that were merged.
    package private(set) var log = EventLog()
    /// The state after replaying the whole log.
    package private(set) var state = ReplayState()
    /// The entries that replaying the whole log found for the history, in replay order.
    package private(set) var journal = Journal()
    /// The checkpoints, by ascending position.
    private var checkpoints: [Checkpoint] = []
    private let checkpointInterval: UInt64

    /// Creates an empty log, with a checkpoint every `checkpointInterval` events, or none if that is 0.
    package init(checkpointInterval: UInt64 = 256) { self.checkpointInterval = checkpointInterval }

    /// Merges events in any order. Events may repeat.
    ///
    /// Throws `EventLog.Refusal` if the result isn't a log, which then stays unchanged. Cost: constant for an
    /// event after all others, otherwise linear in the events after the checkpoint.
    package mutating func merge(_ events: some Sequence<Event>) throws(EventLog.Refusal) {
        let new = try log.merge(events).sorted { $0.position < $1.position }
        guard let first = new.first else { return }
        let affected = log.firstAffected(by: new) ?? first.position
        if !affected.isAfter(state.position) { goBack(before: affected) }
        // Moved out of `self`, so that the closure below doesn't capture all of `self`.
        var kept = checkpoints
        checkpoints = []
        let interval = checkpointInterval
        log.replay(&state, history: &journal) { state, journal in
            guard interval > 0, state.eventCount % interval == 0 else { return true }
            kept.append(Checkpoint(state: copy state, mark: journal.mark))
            return true
        }
        checkpoints = kept
    }

    /// Returns to the last checkpoint before `position`, or to the empty log.
    private mutating func goBack(before position: Position) {
        while let last = checkpoints.last, !position.isAfter(last.state.position) { checkpoints.removeLast() }
        state = checkpoints.last?.state ?? ReplayState()
        journal.cut(to: checkpoints.last?.mark ?? Journal.Mark())
    }
}
