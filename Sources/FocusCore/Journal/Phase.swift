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

/// A span of time, in milliseconds since the Unix epoch; never empty in a history.
package struct Interval: Hashable, Sendable {
    /// The first millisecond that belongs to it.
    package let from: Int64
    /// The first millisecond after `from` that doesn't belong to it any more.
    package let to: Int64

    /// The span between two instants, in milliseconds since the Unix epoch. It isn't checked that they are in order.
    package init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }

    /// The span's length in milliseconds.
    package var length: Int64 { to - from }

    /// The span in parts of a length at most, in milliseconds, which has to be positive.
    package func parts(of length: Int64) -> [Interval] {
        stride(from: from, to: to, by: Int64.Stride(length)).map { from in
            Interval(from: from, to: min(to, from + length))
        }
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

    /// How long the phase was running, in milliseconds.
    package var activeMilliseconds: Int64 {
        switch self {
        case .none: 0
        case .one(let interval): interval.length
        case .many(let intervals): intervals.reduce(0) { $0 + $1.length }
        }
    }

    /// Adds a span that begins no earlier than the last one ends.
    mutating func add(from: Int64, to: Int64) {
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
    package internal(set) var startedAt: Int64
    /// How long it was to last as it began, in milliseconds: what the settings said then.
    package internal(set) var planned: Int64
    /// The spans in which it was running and that have ended.
    package internal(set) var spans: Spans = .none
}
