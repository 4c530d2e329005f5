package import FocusCore

/// The offsets from UTC of a zone's clocks, if it takes long to ask for one. A history needs those of each of its
/// days. It belongs to one thread.
package final class ZoneOffsets {
    private let ask: (SharedInstant) -> Duration
    /// The weeks that were needed so far, by their numbers since 1970.
    private var weeks: [Int64: Week] = [:]

    /// The offsets in a week, in which the clocks change at most once.
    private struct Week {
        let before: Duration
        let change: SharedInstant
        let after: Duration

        func offset(at instant: SharedInstant) -> Duration { instant < change ? before : after }
    }

    private static let length = Duration.seconds(7 * 86_400)

    /// The offsets of a zone.
    ///
    /// - Parameter ask: Returns the offset at an instant.
    package init(_ ask: @escaping (SharedInstant) -> Duration) { self.ask = ask }

    /// Returns the offset at an instant.
    package func offset(at instant: SharedInstant) -> Duration {
        let (number, rest) = instant.milliseconds.floored(by: ZoneOffsets.length.inMilliseconds)
        if let week = weeks[number] { return week.offset(at: instant) }
        let week = makeWeek(from: instant - .milliseconds(rest))
        weeks[number] = week
        return week.offset(at: instant)
    }

    /// Asks for the offsets at the ends of a week. If they differ, finds the change.
    private func makeWeek(from start: SharedInstant) -> Week {
        let end = start + ZoneOffsets.length
        let (before, after) = (ask(start), ask(end))
        guard before != after else { return Week(before: before, change: end, after: after) }
        // Bisection finds the millisecond of the change.
        var (same, other) = (start.milliseconds, end.milliseconds)
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if ask(SharedInstant(milliseconds: middle)) == before { same = middle } else { other = middle }
        }
        return Week(before: before, change: SharedInstant(milliseconds: other), after: after)
    }
}
