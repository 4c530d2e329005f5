/// What a phase is for.
package enum Activity: String, CaseIterable, Hashable, Sendable {
    case work, shortBreak, longBreak

    /// Whether it is a break, short or long.
    package var isBreak: Bool { self != .work }
}

/// How a phase ended.
package enum Outcome: String, CaseIterable, Hashable, Sendable {
    case completed, skipped, stopped
}

/// A span of shared time; never empty in a history.
package struct Interval: Hashable, Sendable {
    /// The first millisecond that belongs to it.
    package let from: SharedInstant
    /// The first millisecond after `from` that doesn't belong to it any more.
    package let to: SharedInstant

    /// The span between two instants. It isn't checked that they are in order.
    package init(from: SharedInstant, to: SharedInstant) {
        self.from = from
        self.to = to
    }

    /// How long the span is.
    package var length: Duration { to - from }

    /// The span in parts of a length at most, which is a millisecond or more.
    package func parts(of length: Duration) -> [Interval] {
        let length = max(length, .milliseconds(1))
        var parts: [Interval] = []
        var next = from
        while next < to {
            let end = min(to, next + length)
            parts.append(Interval(from: next, to: end))
            next = end
        }
        return parts
    }
}

/// The spans in which a phase was running: in order, none empty, touching ones joined. A phase that was never
/// paused, as most, needs no storage of its own.
package enum Spans: Hashable, Sendable {
    case none
    case one(Interval)
    case many([Interval])

    /// The spans as an array.
    package var intervals: [Interval] {
        switch self {
        case .none: []
        case .one(let interval): [interval]
        case .many(let intervals): intervals
        }
    }

    /// Whether the phase has never been running.
    package var isEmpty: Bool { self == .none }

    /// How long the phase was running.
    package var active: Duration {
        switch self {
        case .none: .zero
        case .one(let interval): interval.length
        case .many(let intervals):
            Duration(
                intervals.reduce(0) { $0 &+ Int128($1.to.ticks) &- Int128($1.from.ticks) },
                of: SharedTime.ticksPerSecond)
        }
    }

    /// Adds a span that begins no earlier than the last one ends.
    mutating func add(from: SharedInstant, to: SharedInstant) {
        guard to > from else { return }
        switch self {
        case .none:
            self = .one(Interval(from: from, to: to))
        case .one(let last):
            self =
                last.to == from
                ? .one(Interval(from: last.from, to: to)) : .many([last, Interval(from: from, to: to)])
        case .many(var intervals):
            self = .none  // so that the array below is the only one, and isn't copied
            if let last = intervals.last, last.to == from {
                intervals[intervals.count - 1] = Interval(from: last.from, to: to)
            } else {
                intervals.append(Interval(from: from, to: to))
            }
            self = .many(intervals)
        }
    }
}

/// A phase of a run that is still open.
package struct Phase: Hashable, Sendable {
    /// What the phase is for: work or a break.
    package internal(set) var activity: Activity
    /// 0 for the run's first phase, one more for each after it.
    package internal(set) var ordinal: Int64
    /// When it began, running or not.
    package internal(set) var startedAt: SharedInstant
    /// When it was to be over as it began, had it been running all the time: what the settings said then.
    let plannedEnd: SharedInstant
    /// The spans in which it was running and that have ended.
    package internal(set) var spans: Spans = .none

    /// How long it was to last as it began: what the settings said then.
    package var planned: Duration { plannedEnd - startedAt }
}
