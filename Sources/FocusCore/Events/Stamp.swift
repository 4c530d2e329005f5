/// A Lamport timestamp that stays close to real time: 48 bits of milliseconds since the Unix epoch, then a
/// 16-bit counter (a hybrid logical clock, Kulkarni et al. 2014).
///
/// A stamp of 2^63 or more is malformed everywhere (`isWellFormed`).
package struct Stamp: RawRepresentable, Hashable, Comparable, Sendable {
    /// The milliseconds in the upper 48 bits and the counter in the lower 16. Stamps are compared as one
    /// number.
    package let rawValue: UInt64

    /// Creates the stamp from these bits, well-formed or not.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the stamp from these two parts, or nil if `time` is before 1970, or is `timeLimit` or later.
    package init?(time: SharedInstant, counter: UInt16) {
        guard .zero <= time, time < Stamp.timeLimit else { return nil }
        rawValue = UInt64(time.milliseconds) << 16 | UInt64(counter)
    }

    /// The first instant that no well-formed stamp has: 2^47 milliseconds after the Unix epoch.
    package static let timeLimit = SharedInstant(milliseconds: 1 << 47)

    /// The smallest stamp. An event may have it.
    package static let zero = Stamp(rawValue: 0)

    /// The stamp's time `T`.
    package var time: SharedInstant { SharedInstant(milliseconds: Int64(rawValue >> 16)) }

    /// The counter that orders the stamps of one millisecond.
    package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// Whether an event may have this stamp: whether it is below 2^63.
    package var isWellFormed: Bool { rawValue < 1 << 63 }

    /// The furthest that an event may be ahead of shared time and still count. Clocks differ, and events take
    /// time to arrive.
    package static let lead = Duration.seconds(120)

    /// Returns the greatest stamp that counts at `now`. An event with a greater one is early
    /// (docs/timer-rules.md §1).
    package static func latest(countingAt now: SharedInstant) -> Stamp {
        let end = now + lead
        return Stamp(time: end, counter: .max) ?? (end < .zero ? .zero : Stamp(rawValue: 1 << 63 - 1))
    }

    /// The first instant at which an event with this stamp counts.
    package var countsFrom: SharedInstant { time - Stamp.lead }

    package static func < (left: Stamp, right: Stamp) -> Bool { left.rawValue < right.rawValue }
}

/// The clock that stamps a device's events. Each stamp is greater than every stamp that the device has
/// authored or merged. If the present time is later than all of these, the stamp has the present time
/// (docs/timer-rules.md §1).
package struct LamportClock: Hashable, Sendable {
    /// The greatest stamp authored or merged so far.
    package private(set) var last: Stamp

    /// Creates a clock that continues after `last`, the greatest stamp in the device's log. By default it
    /// starts from the beginning.
    package init(last: Stamp = .zero) { self.last = last }

    /// Records a stamp that was merged.
    package mutating func observe(_ stamp: Stamp) { last = max(last, stamp) }

    /// Advances the clock and returns the stamp of an event authored at `now`. Returns nil if no well-formed
    /// stamp is left, which only a log that reaches the year 6429 can cause.
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
