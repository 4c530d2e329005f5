import FocusCore

/// Applies a `retime` or a `split` to the records (docs/timer-rules.md §4), as part of the second
/// implementation. It adds in 128 bits, so that no sum overflows.
func naiveCorrect(_ records: inout [NaiveRecord], by event: Event) {
    switch event.action {
    case .retime(let retime):
        let (from, to) = (retime.startedAt, retime.endedAt)
        guard from >= 0, from < to, to <= event.time, to - from <= 86_400_000 else { return }
        for place in records.indices
        where records[place].run == retime.run && records[place].ordinal == retime.ordinal {
            func plain(_ instant: SharedInstant) -> Int128 { Int128(instant.milliseconds) }
            func moved(_ instant: SharedInstant) -> Int128 {
                plain(instant) + Int128(retime.shift.inMilliseconds)
            }
            // The whole new span: the part before the moved record, its running time, and the part after it.
            let before = (plain(from), moved(records[place].startedAt))
            let after = (moved(records[place].endedAt), plain(to))
            let running = records[place].intervals.map { (moved($0.from), moved($0.to)) }
            // Each is cut to the new span, and intervals that touch are joined.
            var intervals: [NaiveInterval] = []
            for (start, end) in [before] + running + [after] {
                let start = SharedInstant(milliseconds: Int64(clamping: max(start, plain(from))))
                let end = SharedInstant(milliseconds: Int64(clamping: min(end, plain(to))))
                guard start < end else { continue }
                if let last = intervals.last, last.to == start {
                    intervals[intervals.count - 1] = NaiveInterval(from: last.from, to: end)
                } else {
                    intervals.append(NaiveInterval(from: start, to: end))
                }
            }
            records[place].startedAt = from
            records[place].endedAt = to
            records[place].intervals = intervals
        }
    case .split(let split):
        for place in records.indices
        where records[place].run == split.run && records[place].ordinal == split.ordinal {
            var (first, second) = (records[place], records[place])
            first.intervals = first.intervals.filter { $0.from < split.instant }
                .map { NaiveInterval(from: $0.from, to: min($0.to, split.instant)) }
            second.intervals = second.intervals.filter { $0.to > split.instant }
                .map { NaiveInterval(from: max($0.from, split.instant), to: $0.to) }
            guard !first.intervals.isEmpty, !second.intervals.isEmpty else { continue }
            first.endedAt = split.instant
            second.startedAt = split.instant
            second.run = RunID(event.position)
            second.ordinal = 0
            if let label = split.label { second.label = naiveClean(label) }
            if first.active < second.active {
                first.outcome = "stopped"
            } else {
                second.outcome = "stopped"
            }
            records[place] = first
            records.append(second)
            return
        }
    default: return
    }
}
