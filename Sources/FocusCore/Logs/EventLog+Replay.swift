extension EventLog: ReplayLog {
    /// Nothing can fail: the log is in memory.
    package typealias Failure = Never

    /// The events after `position`, in replay order; all of them where it is nil.
    ///
    /// Cost: O(r log r) in the replicas, with a search in each one's events, before the first event; then as
    /// `OrderedEvents` says.
    package func events(after position: Position?) -> OrderedEvents { OrderedEvents(self, after: position) }

    /// The undos after `position`, in replay order; all of them where it is nil. Cost: linear in them.
    package func undos(after position: Position?) -> [Undo] {
        Array(undos[undos.partitioningIndex { $0.position.isAfter(position) }...])
    }

    /// The undos that name this event, in the order in which they were merged. Cost: constant.
    package func undos(of id: EventID) -> [Undo] { undosByTarget[id] ?? [] }

    /// The first of the starts whose `after` names a run that begins later than themselves; nil where there is none.
    ///
    /// Cost: linear in such starts, which devices hardly ever write.
    package func earliestForwardStart() -> Position? { forwardStarts.min() }

    /// That of no event: this log keeps none.
    package func checkpoint(before position: Position) -> ReplayState { ReplayState() }

    /// As every `ReplayLog`'s, said here so that it is compiled for this one: from another module, a generic one
    /// isn't.
    package func replayed() -> (ReplayState, Journal) {
        var state = ReplayState()
        var journal = Journal()
        replay(&state, history: &journal)
        return (state, journal)
    }
}

extension EventLog {
    /// A log's events in replay order: a merge of its branches.
    ///
    /// Cost: constant an event while one replica's events follow one another, else at most linear in the count
    /// of replicas.
    package struct OrderedEvents: EventCursor {
        /// A branch, and the position of its next event.
        private struct Turn {
            var position: Position
            let branch: Int
        }

        private let branches: [Branch]
        /// How many events of each branch have been given.
        private var given: [Int]
        /// The branches that have events left but the one whose turn it is, the next one last. They hold no
        /// references, so that they change places at little cost.
        private var waiting: [Turn]
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

        /// The next event in replay order, nil at the end.
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

        /// Whose turn it is next: this one's, or the first of those that wait, which it then joins.
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
        let affected = log.firstAffected(by: new) ?? first.position
        if !affected.isAfter(state.position) { goBack(before: affected) }
        // Taken out, so that the closure below doesn't hold on to the whole of `self`.
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

    private mutating func goBack(before position: Position) {
        while let last = checkpoints.last, !position.isAfter(last.state.position) { checkpoints.removeLast() }
        state = checkpoints.last?.state ?? ReplayState()
        journal.cut(to: checkpoints.last?.mark ?? Journal.Mark())
    }
}
