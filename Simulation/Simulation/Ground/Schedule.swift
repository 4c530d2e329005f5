/// Who has something done later: a number that is the same in every run. What falls on one instant is done in the
/// order of these, so that no hash table's order can show.
struct SourceID: Hashable, Comparable {
    let number: UInt64

    static func < (left: SourceID, right: SourceID) -> Bool { left.number < right.number }
}

/// What is yet to happen, the next first.
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

    /// A heap: no entry comes before the one at half of its index.
    private var entries: [Entry] = []
    private var counts: [SourceID: UInt64] = [:]

    /// The next instant at which something happens.
    var next: Int64? { entries.first?.time }

    /// Has something done at an instant.
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

    /// Takes the next out.
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
