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

    package static func < (left: Stamp, right: Stamp) -> Bool { left.rawValue < right.rawValue }
}
