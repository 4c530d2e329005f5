/// Stamps a device's events: each one greater than every stamp the device has authored or merged, and beside
/// the real time where that is later (docs/timer-rules.md §1).
package struct LamportClock: Hashable, Sendable {
    /// The greatest stamp authored or merged so far.
    package private(set) var last: Stamp

    /// A clock that goes on after this stamp, the greatest in the device's log; from the beginning where there is
    /// none.
    package init(last: Stamp = .zero) { self.last = last }

    /// Takes note of a stamp that was merged.
    package mutating func observe(_ stamp: Stamp) { last = max(last, stamp) }

    /// The stamp of an event authored at `now` (milliseconds since the Unix epoch), or nil where no
    /// well-formed stamp is left: only a log that reaches the year 6429 gets there.
    package mutating func tick(now: Int64) -> Stamp? {
        guard last.isWellFormed else { return nil }
        let milliseconds = min(max(now, 0), Stamp.millisecondsLimit - 1)
        let next = Stamp(rawValue: max(last.rawValue + 1, UInt64(milliseconds) << 16))
        guard next.isWellFormed else { return nil }
        last = next
        return next
    }
}
