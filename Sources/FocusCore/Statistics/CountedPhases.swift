/// Which completed phases count, where several ran at once: one of which at least half isn't covered by those counted
/// before (docs/timer-rules.md §6). So two machines that were cut off from each other don't meet a goal twice.
struct CountedPhases {
    /// When the counted phases were running: in order, and apart from each other.
    private var covered: [Interval] = []

    /// Whether the phase counts, the next one in the order of a history.
    ///
    /// Cost: linear in its intervals, and in what was counted since it began.
    mutating func count(_ spans: Spans) -> Bool {
        let intervals = spans.intervals
        guard let from = intervals.first?.from else { return true }
        // None of those before can reach into this one.
        let first = (covered.lastIndex { $0.to < from }).map { $0 + 1 } ?? 0
        guard overlap(with: intervals, from: first) * 2 <= spans.active else { return false }
        cover(intervals, from: first)
        return true
    }

    /// For how long any of the intervals lies in what is covered, from a place in that on.
    private func overlap(with intervals: [Interval], from first: Int) -> Duration {
        var place = first
        var overlap = Duration.zero
        for interval in intervals {
            while place < covered.count, covered[place].to <= interval.from { place += 1 }
            var next = place
            while next < covered.count, covered[next].from < interval.to {
                overlap += min(covered[next].to, interval.to) - max(covered[next].from, interval.from)
                next += 1
            }
        }
        return overlap
    }

    private mutating func cover(_ intervals: [Interval], from first: Int) {
        let beside = covered[first...] + intervals
        covered.removeSubrange(first...)
        for interval in beside.sorted(by: { $0.from < $1.from }) { covered.join(interval) }
    }
}
