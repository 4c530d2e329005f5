/// The owner of scheduled actions: a number that is the same in every run. Actions of the same instant run in
/// the order of their owners, so a run doesn't depend on the order of a hash table.
struct SourceID: Hashable, Comparable {
    let number: UInt64

    static func < (left: SourceID, right: SourceID) -> Bool { left.number < right.number }
}

/// A priority queue of future actions, the next one first.
struct Schedule {
    private struct Entry {
        let time: Int64
        let source: SourceID
        let number: UInt64
        let body: () -> Void

        func comesBefore(_ other: Entry) -> Bool {
            if time != other.time { return time < other.time }
            return source == other.source ? number < other.number : source < other.source
        }
    }

    /// A binary heap: no entry comes before its parent, the one at half its index.
    private var entries: [Entry] = []
    private var counts: [SourceID: UInt64] = [:]

    /// The instant of the next action.
    var next: Int64? { entries.first?.time }

    /// Schedules `body` for the instant `time`.
    mutating func add(at time: Int64, by source: SourceID, _ body: @escaping () -> Void) {
        let number = counts[source, default: 0]
        counts[source] = number + 1
        entries.append(Entry(time: time, source: source, number: number, body: body))
        var index = entries.count - 1
        while index > 0, entries[index].comesBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the next action.
    mutating func removeFirst() -> (() -> Void)? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first.body }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].comesBefore(entries[least]) { least = child }
            guard least != index else { return first.body }
            entries.swapAt(index, least)
            index = least
        }
    }
}
