/// The purpose of a phase: work or a break.
package enum Activity: String, CaseIterable, Hashable, Sendable {
    case work, shortBreak, longBreak

    /// Whether it is a break, short or long.
    package var isBreak: Bool { self != .work }
}

/// The way in which a phase ended.
package enum Outcome: String, CaseIterable, Hashable, Sendable {
    case completed, skipped, stopped
}

/// A span of shared time. In a history it is never empty.
package struct Interval: Hashable, Sendable {
    /// The first millisecond that belongs to it.
    package let from: SharedInstant
    /// The first millisecond after it.
    package let to: SharedInstant

    /// Creates the span between two instants. It doesn't check that they are in order.
    package init(from: SharedInstant, to: SharedInstant) {
        self.from = from
        self.to = to
    }

    /// The length of the span.
    package var length: Duration { to - from }

    /// Returns the span in consecutive parts of at most `length`, or of a millisecond if `length` is shorter.
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

/// The spans in which a phase was running: in order, none empty, touching ones joined. Most phases are never
/// paused, and need no storage of their own.
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

    /// The beginning of the first span, or nil if there is none.
    var start: SharedInstant? {
        switch self {
        case .none: nil
        case .one(let interval): interval.from
        case .many(let intervals): intervals.first?.from
        }
    }

    /// Calls `body` for each span, in order. Unlike `intervals`, it makes no array.
    func forEach(_ body: (Interval) -> Void) {
        switch self {
        case .none: break
        case .one(let interval): body(interval)
        case .many(let intervals): for interval in intervals { body(interval) }
        }
    }

    /// Whether the phase has never been running.
    package var isEmpty: Bool { self == .none }

    /// The total time that the phase was running.
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

    /// Adds a span that begins no earlier than the last one ends. Ignores an empty span.
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
            self = .none  // keeps the array below unshared, so that it isn't copied
            if let last = intervals.last, last.to == from {
                intervals[intervals.count - 1] = Interval(from: last.from, to: to)
            } else {
                intervals.append(Interval(from: from, to: to))
            }
            self = .many(intervals)
        }
    }
}

/// A phase of an open run.
package struct Phase: Hashable, Sendable {
    /// The purpose of the phase: work or a break.
    package internal(set) var activity: Activity
    /// The phase's number in its run, from 0.
    package internal(set) var ordinal: Int64
    /// The beginning of the phase, running or not.
    package internal(set) var startedAt: SharedInstant
    /// The end that was planned when the phase began, by the settings in force then. It assumes no pause and
    /// no added time. If time is added in overtime, the overtime before that counts as planned.
    var plannedEnd: SharedInstant
    /// The running spans that have ended.
    package internal(set) var spans: Spans = .none

    /// The planned length, without pauses and added time.
    package var planned: Duration { plannedEnd - startedAt }
}
