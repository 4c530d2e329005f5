/// A Lamport timestamp that stays beside real time: 48 bits of milliseconds since the Unix epoch, then a
/// 16-bit counter (a hybrid logical clock, Kulkarni et al. 2014).
///
/// A stamp of 2^63 or more is malformed everywhere (`isWellFormed`).
package struct Stamp: RawRepresentable, Hashable, Comparable, Sendable {
    /// The milliseconds in the upper 48 bits, the counter in the lower 16: compared as one number.
    package let rawValue: UInt64

    /// The stamp of these bits, well-formed or not.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The stamp of these two parts, or nil where `time` is before 1970, or `timeLimit` or later.
    package init?(time: SharedInstant, counter: UInt16) {
        guard .zero <= time, time < Stamp.timeLimit else { return nil }
        rawValue = UInt64(time.milliseconds) << 16 | UInt64(counter)
    }

    /// The first instant that no well-formed stamp has: 2^47 milliseconds after the Unix epoch.
    package static let timeLimit = SharedInstant(milliseconds: 1 << 47)

    /// The smallest stamp; an event of the first moment there is may bear it.
    package static let zero = Stamp(rawValue: 0)

    /// The stamp's time `T`.
    package var time: SharedInstant { SharedInstant(milliseconds: Int64(rawValue >> 16)) }

    /// How many stamps the same millisecond had before this one.
    package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// Whether an event may bear this stamp: below 2^63.
    package var isWellFormed: Bool { rawValue < 1 << 63 }

    /// How far ahead of shared time an event may lie and count all the same: clocks differ, and events take time to come.
    package static let lead = Duration.seconds(120)

    /// The greatest stamp that counts at `now`: an event with a greater one is early (docs/timer-rules.md §1).
    package static func latest(countingAt now: SharedInstant) -> Stamp {
        let end = now + lead
        return Stamp(time: end, counter: .max) ?? (end < .zero ? .zero : Stamp(rawValue: 1 << 63 - 1))
    }

    /// The first instant at which an event of this stamp counts.
    package var countsFrom: SharedInstant { time - Stamp.lead }

    package static func < (left: Stamp, right: Stamp) -> Bool { left.rawValue < right.rawValue }
}

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
