/// A time scale: its precision, and a type that keeps its instants apart from other scales' instants.
package protocol TimeScale {
    /// The number of ticks in a second, which has to divide 10^18.
    static var ticksPerSecond: Int64 { get }
}

/// An instant of a time scale, in ticks since the scale began. Instants of different scales can't be compared
/// or subtracted.
package struct Instant<Scale: TimeScale>: Hashable, Comparable, Sendable {
    /// Ticks since the scale began, `Scale.ticksPerSecond` in a second. This is the number on the wire.
    package let ticks: Int64

    /// Creates the instant `ticks` ticks after the scale began. Any number is allowed, because it may come
    /// from outside.
    package init(ticks: Int64) { self.ticks = ticks }

    /// The beginning of the scale.
    package static var zero: Instant { Instant(ticks: 0) }
    /// The first of all instants.
    package static var distantPast: Instant { Instant(ticks: .min) }
    /// The last of all instants, which stands for never.
    package static var distantFuture: Instant { Instant(ticks: .max) }

    package static func < (one: Instant, other: Instant) -> Bool { one.ticks < other.ticks }

    /// Returns the instant that is `duration` later, dropping parts of a tick. The result is clamped to the
    /// first and last instant.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        if let short = duration.wholeIfShort(of: Scale.ticksPerSecond) {
            let (sum, isBeyond) = instant.ticks.addingReportingOverflow(short)
            return isBeyond ? .distantFuture : Instant(ticks: sum)
        }
        let sum = Int128(instant.ticks) + duration.whole(of: Scale.ticksPerSecond)
        return Instant(ticks: Int64(clamping: sum))
    }

    /// Returns the instant that is `duration` earlier, truncated and clamped as by `+`.
    package static func - (instant: Instant, duration: Duration) -> Instant {
        let difference = Int128(instant.ticks) - duration.whole(of: Scale.ticksPerSecond)
        return Instant(ticks: Int64(clamping: difference))
    }

    package static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

    package static func -= (instant: inout Instant, duration: Duration) { instant = instant - duration }

    /// Returns the time from the second instant to the first, negative if the first is earlier.
    package static func - (later: Instant, earlier: Instant) -> Duration {
        Duration(Int128(later.ticks) &- Int128(earlier.ticks), of: Scale.ticksPerSecond)
    }
}

/// The time that all laptops of a group share: the clock of their server, since the Unix epoch, or a
/// machine's estimate of it. Events are stamped with its milliseconds, and replay counts in them.
package enum SharedTime: TimeScale {
    /// Ticks are milliseconds.
    package static var ticksPerSecond: Int64 { 1_000 }
}

/// An instant of shared time, to the millisecond.
package typealias SharedInstant = Instant<SharedTime>

extension Instant where Scale == SharedTime {
    /// Creates the instant `milliseconds` after the Unix epoch. Any number is allowed, so that an event keeps
    /// the value that it was written with.
    package init(milliseconds: Int64) { self.init(ticks: milliseconds) }

    /// Creates the instant `seconds` after the Unix epoch, clamped to the first and last instant.
    package init(seconds: Int64) { self = .zero + .seconds(seconds) }

    /// Returns the instant `seconds` seconds later, clamped as by `+`. Settings and presses give times in
    /// seconds.
    func later(bySeconds seconds: Int64) -> SharedInstant {
        SharedInstant(ticks: Int64(clamping: Int128(ticks) &+ Int128(seconds) &* 1000))
    }

    /// Milliseconds since the Unix epoch.
    package var milliseconds: Int64 { ticks }

    /// Whole seconds since the Unix epoch, rounded down.
    package var seconds: Int64 { ticks.floored(by: 1000).quotient }

    /// The beginning of the minute that contains the instant. Clocks are ahead of UTC by whole minutes.
    package var minute: SharedInstant { self - .milliseconds(ticks.floored(by: 60_000).rest) }

    /// The time until `minute` changes: more than zero, at most a minute.
    package var untilNextMinute: Duration { .seconds(60) - (self - minute) }
}

/// A time scale with instants to the microsecond.
package protocol Microseconds: TimeScale {}

extension Microseconds {
    /// Ticks are microseconds.
    package static var ticksPerSecond: Int64 { 1_000_000 }
}

extension Instant where Scale: Microseconds {
    /// Creates the instant `microseconds` after the scale began.
    package init(microseconds: Int64) { self.init(ticks: microseconds) }

    /// Microseconds since the scale began.
    package var microseconds: Int64 { ticks }
}

/// A clock that never jumps and counts time asleep: CLOCK_BOOTTIME on a machine, virtual time in the
/// simulator.
package enum SteadyTime: Microseconds {}

/// An instant on a steady clock. Two of them can be compared only if they come from one machine and one boot.
package typealias SteadyInstant = Instant<SteadyTime>

/// Shared time to the microsecond, for the comparison of clocks.
package enum FineSharedTime: Microseconds {}

/// A reading of a clock of shared time, to the microsecond.
package typealias SharedReading = Instant<FineSharedTime>

extension Instant where Scale == FineSharedTime {
    /// Creates the reading at the beginning of a millisecond, clamped to the first and last reading.
    package init(_ instant: SharedInstant) { self = .zero + (instant - .zero) }

    /// The millisecond that contains the reading.
    package var instant: SharedInstant {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return SharedInstant(milliseconds: remainder < 0 ? quotient - 1 : quotient)
    }

    /// Returns how far the reading is ahead of a steady clock that shows `steady` at the same moment.
    package func offset(from steady: SteadyInstant) -> Duration {
        .microseconds(microseconds) - .microseconds(steady.microseconds)
    }
}

extension Instant where Scale == SteadyTime {
    /// Returns the shared time at this instant, if shared time is ahead of the steady clock by `offset`.
    package func shared(_ offset: Duration) -> SharedReading {
        SharedReading(microseconds: (self + offset).microseconds)
    }
}

extension Duration {
    /// The number of whole microseconds, dropping the rest, clamped to 64 bits.
    package var inMicroseconds: Int64 { Int64(clamping: whole(of: 1_000_000)) }

    /// The whole milliseconds, truncated and clamped likewise.
    package var inMilliseconds: Int64 { Int64(clamping: whole(of: 1_000)) }

    /// The whole seconds, truncated and clamped likewise.
    package var inSeconds: Int64 { Int64(clamping: whole(of: 1)) }

    /// The seconds with their fraction, as precisely as a `Double` holds them.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// The length without its sign.
    package var magnitude: Duration { self < .zero ? .zero - self : self }

    /// Returns the duration as a number of parts of a second, dropping what is less than a part.
    ///
    /// - Parameter parts: The number of parts in a second, which has to divide 10^18.
    @inline(__always)
    func whole(of parts: Int64) -> Int128 {
        wholeIfShort(of: parts).map { Int128($0) } ?? attoseconds
            / Int128(Duration.attosecondsPerSecond / parts)
    }

    /// Returns the same as `whole(of:)`, or nil if the duration is negative or longer than some hours. Every
    /// sum of an instant and a duration calls this, so it has to be fast. Both sides are first shifted right
    /// by the divisor's factors of two. Then 64 bits are enough, and the compiler replaces the division by a
    /// multiplication.
    @inline(__always)
    func wholeIfShort(of parts: Int64) -> Int64? {
        let divisor = Duration.attosecondsPerSecond / parts
        let twos = divisor.trailingZeroBitCount
        guard attoseconds >= 0, let short = Int64(exactly: attoseconds &>> Int128(twos)) else { return nil }
        return short / (divisor &>> Int64(twos))
    }

    /// Creates the duration of `count` parts of a second.
    ///
    /// - Parameter parts: The number of parts in a second, which has to divide 10^18.
    @inline(__always)
    init(_ count: Int128, of parts: Int64) {
        // The count has at most 65 bits, so 128 bits are enough.
        self.init(attoseconds: count &* Int128(Duration.attosecondsPerSecond / parts))
    }

    private static var attosecondsPerSecond: Int64 { 1_000_000_000_000_000_000 }
}

// A text has to say in which unit a time is. Swift would interpolate any value, and show an instant by its
// fields. With these overloads, such an interpolation is a deprecation warning instead.

extension DefaultStringInterpolation {
    /// Not for use. FocusText's `InstantText` has the texts of instants, and `milliseconds` is a number.
    @available(*, deprecated, message: "say how: InstantText.text, or milliseconds")
    package mutating func appendInterpolation<Scale>(_ instant: Instant<Scale>) {
        appendInterpolation(instant.ticks)
    }

    /// Not for use. `inMilliseconds`, `inSeconds` and `seconds` are numbers.
    @available(*, deprecated, message: "say in which unit: inMilliseconds, inSeconds")
    package mutating func appendInterpolation(_ length: Duration) {
        appendInterpolation(length.inMilliseconds)
    }
}
