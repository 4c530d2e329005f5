/// A set of events held in memory, merged by union, that can be walked in replay order.
///
/// Each replica's events stand in a branch of their own, by seq; since a replica's stamps rise, replay order is a
/// merge of the branches. 56 bytes an event, and the heap of long texts.
package struct EventLog: Sendable {
    /// Why a set of events is not a log.
    package enum Refusal: Error, Hashable, Sendable {
        /// Two different events share this name.
        case conflict(EventID)
        /// This event's stamp is not above that of the replica's event before it.
        case stampNotRising(EventID)
        /// This event's stamp is 2^63 or more.
        case stampTooLarge(EventID)
        /// This event's seq is 0.
        case seqZero(EventID)
    }

    /// An event as its branch keeps it; the branch knows the replica.
    struct Entry: Sendable {
        let stamp: Stamp
        let action: Action
    }

    /// One replica's events, by seq and so by stamp.
    struct Branch: Sendable {
        let replica: ReplicaID
        private(set) var entries: [Entry] = []
        private var seqs = SeqList()

        init(replica: ReplicaID) { self.replica = replica }
    }

    private(set) var branches: [Branch] = []
    private var branchIndices: [ReplicaID: Int] = [:]
    /// The log's undos, in replay order.
    package private(set) var undos: [Undo] = []
    private(set) var undosByTarget: [EventID: [Undo]] = [:]
    /// The undos whose target came after them, in replay order or into the log.
    private var undosAhead: [Undo] = []
    /// Starts whose `after` names a run that begins after them: devices hardly ever write such, but a log may hold one.
    private(set) var forwardStarts: [Position] = []

    /// A log without events.
    package init() {}

    /// The log of these events, in any order, each any number of times.
    ///
    /// Throws a `Refusal` where the set is not a log. Cost: O(n log n).
    package init(_ events: some Sequence<Event>) throws(Refusal) {
        try merge(events)
    }

    /// How many events the log has.
    package var count: Int { branches.reduce(0) { $0 + $1.entries.count } }

    /// The greatest stamp in the log, `Stamp.zero` where it is empty.
    package var greatestStamp: Stamp { branches.compactMap { $0.entries.last?.stamp }.max() ?? .zero }

    /// The event of this name. Cost: constant where the replica's seqs have no holes, else logarithmic.
    package func event(_ id: EventID) -> Event? {
        guard let branch = branch(of: id.replica) else { return nil }
        return branch.index(of: id.seq).map { branch.event($0) }
    }

    /// The event at this position, where there is one. Cost: logarithmic.
    package func event(at position: Position) -> Event? {
        guard let branch = branch(of: position.replica) else { return nil }
        let index = branch.index(ofFirstAfter: position) - 1
        guard index >= 0, branch.entries[index].stamp == position.stamp else { return nil }
        return branch.event(index)
    }

    /// The undos that may take back what stands after them, in replay order.
    package func forwardUndos() -> [Undo] {
        undosAhead.sorted { $0.position < $1.position }
    }

    private func branch(of replica: ReplicaID) -> Branch? { branchIndices[replica].map { branches[$0] } }
}

// MARK: - Merging

extension EventLog {
    /// Merges one event, and tells whether it was new. Cost: constant where it is its replica's newest.
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
                undosAhead.append(undo)
            }
        }
        if event.isForwardStart { forwardStarts.append(event.position) }
        return true
    }

    /// Merges events in any order, and gives back those that were new, by replica and seq. Where the set would
    /// be no log it throws, and the log is as it was.
    ///
    /// Cost: O(n log n) in the events, where they are their replicas' newest.
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

    /// Takes out an event that was merged just before.
    private mutating func remove(_ event: Event) {
        if let branch = branchIndices[event.id.replica] { branches[branch].remove(event.id.seq) }
        if let undo = Undo(event) {
            undos.removeAll { $0 == undo }
            undosAhead.removeAll { $0 == undo }
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
    /// The event at an index of `entries`.
    func event(_ index: Int) -> Event {
        Event(replica: replica, seq: seqs[index], stamp: entries[index].stamp, action: entries[index].action)
    }

    /// Puts the event in its place; false where the branch has it already.
    mutating func insert(_ event: Event) throws(EventLog.Refusal) -> Bool {
        let index = seqs.index(notBelow: event.id.seq)
        if index < entries.count, seqs[index] == event.id.seq {
            // Encodings are compared, since texts that differ only in their normal form are equal as strings.
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

    /// Where the event of this seq stands; nil where there is none.
    func index(of seq: UInt64) -> Int? {
        let index = seqs.index(notBelow: seq)
        return index < entries.count && seqs[index] == seq ? index : nil
    }

    /// The index of the first entry that stands after `position` in replay order; the first of all after none.
    func index(ofFirstAfter position: Position?) -> Int {
        entries.partitioningIndex { Position(stamp: $0.stamp, replica: replica).isAfter(position) }
    }
}

extension Event {
    /// Whether this is a start whose `after` names a run that begins later than itself.
    package var isForwardStart: Bool {
        guard case .start(let start) = action, let after = start.after else { return false }
        return after.position > position
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index from which on `belongsToSecondPart` holds, as it does for all after it. Cost: logarithmic.
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
