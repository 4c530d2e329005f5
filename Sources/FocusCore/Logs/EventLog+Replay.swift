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
        /// The branch whose turn it is, apart from the others, so that its events are at hand.
        private var front: BranchCursor?
        /// The other branches that have events left, by the position of their next one, the last one first.
        private var others: [BranchCursor]

        fileprivate init(_ log: EventLog, after position: Position) {
            others = log.branches.compactMap { branch in
                BranchCursor(branch, from: branch.index(ofFirstAfter: position))
            }
            others.sort { $0.position > $1.position }
            front = others.popLast()
        }

        package mutating func next() -> Event? {
            guard let event = front?.event else { return nil }
            if front?.advance() != true {
                front = others.popLast()
            } else if let next = others.last?.position, let position = front?.position, next < position {
                exchangeFront()
            }
            return event
        }

        /// Lets the next branch have its turn, and puts the front one among the others.
        private mutating func exchangeFront() {
            guard let old = front else { return }
            front = others.last
            var place = others.count - 1
            while place > 0, others[place - 1].position < old.position {
                others[place] = others[place - 1]
                place -= 1
            }
            others[place] = old
        }
    }
}

/// A place in a branch, with the position of the event there at hand.
private struct BranchCursor {
    private let replica: ReplicaID
    private let entries: [EventLog.Entry]
    private var index: Int
    private(set) var position: Position

    init?(_ branch: EventLog.Branch, from index: Int) {
        guard index < branch.entries.count else { return nil }
        replica = branch.replica
        entries = branch.entries
        self.index = index
        position = Position(stamp: branch.entries[index].stamp, replica: branch.replica)
    }

    var event: Event { entries[index].event(of: replica) }

    /// Goes on to the branch's next event; false where there is none.
    mutating func advance() -> Bool {
        index += 1
        guard index < entries.count else { return false }
        position = Position(stamp: entries[index].stamp, replica: replica)
        return true
    }
}
