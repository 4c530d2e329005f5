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

    /// The stamp of an event authored at `now`, or nil where no
    /// well-formed stamp is left: only a log that reaches the year 6429 gets there.
    package mutating func tick(now: SharedInstant) -> Stamp? {
        guard last.isWellFormed else { return nil }
        let latest = Stamp.timeLimit - .milliseconds(1)
        guard let present = Stamp(time: min(max(now, .zero), latest), counter: 0) else { return nil }
        let next = max(Stamp(rawValue: last.rawValue + 1), present)
        guard next.isWellFormed else { return nil }
        last = next
        return next
    }
}
