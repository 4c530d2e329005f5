extension EventLog: ReplayLog {
    package typealias Failure = Never

    package func events(after position: Position) -> OrderedEvents { OrderedEvents(self, after: position) }

    package func undos(after position: Position) -> [Undo] {
        Array(undos[undos.partitioningIndex { $0.position > position }...])
    }

    package func undos(of id: EventID) -> [Undo] { undosByTarget[id] ?? [] }

    package func earliestForwardStart() -> Position? { forwardStarts.min() }
}

extension EventLog {
    /// A log's events in replay order: a merge of its branches.
    ///
    /// Cost: constant an event while one replica's events follow one another, else at most linear in the count
    /// of replicas.
    package struct OrderedEvents: EventCursor {
        /// The branches that have events left, by the position of their next one.
        private var cursors: [BranchCursor]
        /// The next event of the branches but the first.
        private var limit: Position?

        fileprivate init(_ log: EventLog, after position: Position) {
            cursors = log.branches.compactMap { branch in
                BranchCursor(branch, from: branch.index(ofFirstAfter: position))
            }
            cursors.sort { $0.position < $1.position }
            limit = cursors.count > 1 ? cursors[1].position : nil
        }

        package mutating func next() -> Event? {
            guard !cursors.isEmpty else { return nil }
            let event = cursors[0].event
            if !cursors[0].advance() {
                cursors.removeFirst()
                limit = cursors.count > 1 ? cursors[1].position : nil
            } else if let limit, limit < cursors[0].position {
                sinkFirst()
            }
            return event
        }

        /// Brings the first cursor to its place among the others.
        private mutating func sinkFirst() {
            var place = 0
            while place + 1 < cursors.count, cursors[place + 1].position < cursors[place].position {
                cursors.swapAt(place, place + 1)
                place += 1
            }
            limit = cursors[1].position
        }
    }
}

/// A place in a branch, with the position of the event there at hand.
private struct BranchCursor {
    private let branch: EventLog.Branch
    private var index: Int
    private(set) var position: Position

    init?(_ branch: EventLog.Branch, from index: Int) {
        guard index < branch.entries.count else { return nil }
        self.branch = branch
        self.index = index
        position = Position(stamp: branch.entries[index].stamp, replica: branch.replica)
    }

    var event: Event { branch.entries[index].event(of: branch.replica) }

    /// Goes on to the branch's next event; false where there is none.
    mutating func advance() -> Bool {
        index += 1
        guard index < branch.entries.count else { return false }
        position = Position(stamp: branch.entries[index].stamp, replica: branch.replica)
        return true
    }
}
