package import FocusCore

/// A rate limiter for log entries about a problem that may repeat.
package struct LogThrottle {
    private let interval: Duration
    /// The time from which the next entry is due.
    private var next = SteadyInstant.distantPast

    /// Creates a limiter that allows one entry in each `interval`.
    package init(every interval: Duration) { self.interval = interval }

    /// Whether to write an entry now. If so, the next one isn't due before the interval has passed.
    package mutating func isDue(at now: SteadyInstant) -> Bool {
        guard now >= next else { return false }
        next = now + interval
        return true
    }
}
