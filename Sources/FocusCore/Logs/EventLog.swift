/// A set of events in memory, merged by union and read in replay order.
///
/// The events of each replica are in a branch of their own, by seq. A replica's stamps rise, so replay order
/// is a merge of the branches. An event takes 56 bytes, and a long text takes heap memory besides.
package struct EventLog: Sendable {
    /// The reason why a set of events is not a log.
    package enum Refusal: Error, Hashable, Sendable {
        /// Two different events have this name.
        case conflict(EventID)
        /// The stamp of this event doesn't rise within its replica.
        case stampNotRising(EventID)
        /// This event's stamp is 2^63 or more.
        case stampTooLarge(EventID)
        /// This event's seq is 0.
        case seqZero(EventID)
    }

    /// An event as its branch stores it. The branch stores the replica.
    struct Entry: Sendable {
        let stamp: Stamp
        let action: Action
    }

    /// The events of one replica, by seq and therefore by stamp.
    struct Branch: Sendable {
        let replica: ReplicaID
        private(set) var entries: [Entry] = []
        private var seqs = SeqList()

        init(replica: ReplicaID) { self.replica = replica }
    }

    /// The branch of each replica, in the order in which the replicas were first merged.
    private(set) var branches: [Branch] = []
    private var branchIndices: [ReplicaID: Int] = [:]
    /// The log's undos, in replay order.
    package private(set) var undos: [Undo] = []
    /// The log's undos by the event that they name, in the order in which they were merged.
    private(set) var undosByTarget: [EventID: [Undo]] = [:]
    /// The undos that come before their target in replay order, or that were merged before it.
    private var possibleForwardUndos: [Undo] = []
    /// The positions of starts with an `after` that names a later run. Devices hardly ever write such a
    /// start, but a log may hold one.
    private(set) var forwardStarts: [Position] = []

    /// Creates a log without events.
    package init() {}

    /// Creates the log of these events, in any order. Events may repeat.
    ///
    /// Throws a `Refusal` if the set is not a log. Cost: O(n log n).
    package init(_ events: some Sequence<Event>) throws(Refusal) {
        try merge(events)
    }

    /// The number of events in the log.
    package var count: Int { branches.reduce(0) { $0 + $1.entries.count } }

    /// The greatest stamp in the log, or `Stamp.zero` if the log is empty.
    package var greatestStamp: Stamp { branches.compactMap { $0.entries.last?.stamp }.max() ?? .zero }

    /// Returns the event with this name, or nil. Cost: constant if the replica's seqs have no holes, else
    /// logarithmic.
    package func event(_ id: EventID) -> Event? {
        guard let branch = branch(of: id.replica) else { return nil }
        return branch.index(of: id.seq).map { branch.event($0) }
    }

    /// Returns the event at this position, or nil if there is none. Cost: logarithmic.
    package func event(at position: Position) -> Event? {
        guard let branch = branch(of: position.replica) else { return nil }
        let index = branch.index(ofFirstAfter: position) - 1
        guard index >= 0, branch.entries[index].stamp == position.stamp else { return nil }
        return branch.event(index)
    }

    /// Returns the undos that may take back an event after them, in replay order.
    package func forwardUndos() -> [Undo] {
        possibleForwardUndos.sorted { $0.position < $1.position }
    }

    private func branch(of replica: ReplicaID) -> Branch? { branchIndices[replica].map { branches[$0] } }
}

// MARK: - Merging

extension EventLog {
    /// Merges one event, and returns whether it was new. Cost: constant if it is the newest of its replica.
    @discardableResult
    package mutating func merge(_ event: Event) throws(Refusal) -> Bool {
        guard event.id.seq > 0 else { throw .seqZero(event.id) }
        guard event.stamp.isWellFormed else { throw .stampTooLarge(event.id) }
        let branch = branchIndices[event.id.replica] ?? addBranch(event.id.replica)
        guard try branches[branch].insert(event) else { return false }
        if let undo = Undo(event) {
            undos.insert(undo, at: undos.partitioningIndex { $0.position > undo.position })
            undosByTarget[undo.target, default: []].append(undo)
            if self.event(undo.target).map({ undo.position < $0.position }) ?? true {
                possibleForwardUndos.append(undo)
            }
        }
        if event.isForwardStart { forwardStarts.append(event.position) }
        return true
    }

    /// Merges events in any order, and returns the new ones, sorted by replica and seq. If the result isn't a
    /// log, it throws a `Refusal` and leaves the log unchanged.
    ///
    /// Cost: O(n log n) in the events, if they are the newest of their replicas.
    @discardableResult
    package mutating func merge(_ events: some Sequence<Event>) throws(Refusal) -> [Event] {
        var new: [Event] = []
        do throws(Refusal) {
            for event in events.sorted(by: { $0.id < $1.id }) where try merge(event) { new.append(event) }
        } catch {
            for event in new.reversed() { remove(event) }
            throw error
        }
        return new
    }

    /// Removes an event that was just merged.
    private mutating func remove(_ event: Event) {
        if let branch = branchIndices[event.id.replica] { branches[branch].remove(event.id.seq) }
        if let undo = Undo(event) {
            undos.removeAll { $0 == undo }
            possibleForwardUndos.removeAll { $0 == undo }
            undosByTarget[undo.target]?.removeAll { $0 == undo }
        }
        if event.isForwardStart { forwardStarts.removeAll { $0 == event.position } }
    }

    private mutating func addBranch(_ replica: ReplicaID) -> Int {
        branches.append(Branch(replica: replica))
        branchIndices[replica] = branches.count - 1
        return branches.count - 1
    }
}

extension EventLog.Branch {
    /// Returns the event at an index of `entries`.
    func event(_ index: Int) -> Event {
        Event(replica: replica, seq: seqs[index], stamp: entries[index].stamp, action: entries[index].action)
    }

    /// Inserts the event at its place. Returns false if the branch already has it.
    mutating func insert(_ event: Event) throws(EventLog.Refusal) -> Bool {
        let index = seqs.index(notBelow: event.id.seq)
        if index < entries.count, seqs[index] == event.id.seq {
            // Encodings are compared, because strings that differ only in their normal form are equal.
            guard entries[index].stamp == event.stamp,
                entries[index].action.encoded() == event.action.encoded()
            else { throw .conflict(event.id) }
            return false
        }
        guard index == 0 || entries[index - 1].stamp < event.stamp,
            index == entries.count || event.stamp < entries[index].stamp
        else { throw .stampNotRising(event.id) }
        entries.insert(EventLog.Entry(stamp: event.stamp, action: event.action), at: index)
        seqs.insert(event.id.seq, at: index)
        return true
    }

    mutating func remove(_ seq: UInt64) {
        guard let index = index(of: seq) else { return }
        entries.remove(at: index)
        seqs.remove(at: index)
    }

    /// Returns the index of the event with this seq, or nil if there is none.
    func index(of seq: UInt64) -> Int? {
        let index = seqs.index(notBelow: seq)
        return index < entries.count && seqs[index] == seq ? index : nil
    }

    /// Returns the index of the first entry after `position` in replay order, or 0 if `position` is nil.
    func index(ofFirstAfter position: Position?) -> Int {
        entries.partitioningIndex { Position(stamp: $0.stamp, replica: replica).isAfter(position) }
    }
}

extension Event {
    /// Whether this is a start with an `after` that names a run beginning later than the start itself.
    package var isForwardStart: Bool {
        guard case .start(let start) = action, let after = start.after else { return false }
        return after.position > position
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the first index at which `belongsToSecondPart` holds. It has to hold at all later indices.
    /// Cost: logarithmic.
    func partitioningIndex(_ belongsToSecondPart: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
