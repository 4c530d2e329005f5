/// How finely instants of some time are told, which is also what tells them from those of another time.
package protocol TimeScale {
    /// How many ticks make a second: a divisor of 10^18.
    static var ticksPerSecond: Int64 { get }
}

/// An instant of a time, in ticks since it began. Instants of another time can't be compared with it, nor taken from it.
package struct Instant<Scale: TimeScale>: Hashable, Comparable, Sendable {
    /// Ticks since the time began, of which `Scale.ticksPerSecond` make a second: what stands on the wire.
    package let ticks: Int64

    /// So many ticks after the time began: any number, as it may come from outside.
    package init(ticks: Int64) { self.ticks = ticks }

    /// When the time began.
    package static var zero: Instant { Instant(ticks: 0) }
    /// Before all others.
    package static var distantPast: Instant { Instant(ticks: .min) }
    /// After all others: never.
    package static var distantFuture: Instant { Instant(ticks: .max) }

    package static func < (one: Instant, other: Instant) -> Bool { one.ticks < other.ticks }

    /// So much later, what is less than a tick being dropped; where that is nowhere, the last or the first instant there is.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        if let short = duration.short(of: Scale.ticksPerSecond) {
            let (sum, isBeyond) = instant.ticks.addingReportingOverflow(short)
            return isBeyond ? .distantFuture : Instant(ticks: sum)
        }
        let sum = Int128(instant.ticks) + duration.whole(of: Scale.ticksPerSecond)
        return Instant(ticks: Int64(clamping: sum))
    }

    /// So much earlier, in the same way.
    package static func - (instant: Instant, duration: Duration) -> Instant {
        let difference = Int128(instant.ticks) - duration.whole(of: Scale.ticksPerSecond)
        return Instant(ticks: Int64(clamping: difference))
    }

    package static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

    package static func -= (instant: inout Instant, duration: Duration) { instant = instant - duration }

    /// How much later the first is; negative where it is earlier.
    package static func - (later: Instant, earlier: Instant) -> Duration {
        Duration(Int128(later.ticks) &- Int128(earlier.ticks), of: Scale.ticksPerSecond)
    }
}

/// The time that all laptops of a group share: its server's clock, since the Unix epoch, or what a machine takes for that.
/// Milliseconds of it are what events are stamped with and replay counts in.
package enum SharedTime: TimeScale {
    /// Milliseconds.
    package static var ticksPerSecond: Int64 { 1_000 }
}

/// An instant of shared time, to the millisecond.
package typealias SharedInstant = Instant<SharedTime>

extension Instant where Scale == SharedTime {
    /// So many milliseconds after the Unix epoch: any number, so that an event passes on what it says.
    package init(milliseconds: Int64) { self.init(ticks: milliseconds) }

    /// So many seconds after the Unix epoch; where that is nowhere, the last or the first instant there is.
    package init(seconds: Int64) { self = .zero + .seconds(seconds) }

    /// So many seconds later, as `+` has it: replay moves an instant by what settings and presses say in seconds.
    func later(bySeconds seconds: Int64) -> SharedInstant {
        SharedInstant(ticks: Int64(clamping: Int128(ticks) &+ Int128(seconds) &* 1000))
    }

    /// Milliseconds since the Unix epoch.
    package var milliseconds: Int64 { ticks }

    /// Whole seconds since the Unix epoch, rounded down.
    package var seconds: Int64 { ticks.floored(by: 1000).quotient }
}

/// A time of which instants are told to the microsecond.
package protocol Microseconds: TimeScale {}

extension Microseconds {
    /// Microseconds.
    package static var ticksPerSecond: Int64 { 1_000_000 }
}

extension Instant where Scale: Microseconds {
    /// So many microseconds after the time began.
    package init(microseconds: Int64) { self.init(ticks: microseconds) }

    /// Microseconds since the time began.
    package var microseconds: Int64 { ticks }
}

/// A clock that never jumps and counts time asleep: CLOCK_BOOTTIME on a machine, the world's own time in a simulation.
package enum SteadyTime: Microseconds {}

/// An instant on a steady clock. Two of them mean something together only where they are of one machine and one boot.
package typealias SteadyInstant = Instant<SteadyTime>

/// Shared time as finely as clocks are compared by it.
package enum FineSharedTime: Microseconds {}

/// What a clock of shared time shows at an instant, to the microsecond.
package typealias SharedReading = Instant<FineSharedTime>

extension Instant where Scale == FineSharedTime {
    /// What it shows at the beginning of a millisecond; where that is nowhere, the last or the first instant there is.
    package init(_ instant: SharedInstant) { self = .zero + (instant - .zero) }

    /// The millisecond that it is in.
    package var instant: SharedInstant { SharedInstant(milliseconds: microseconds / 1000) }

    /// How far it is ahead of a steady clock that shows this at the same moment.
    package func offset(from steady: SteadyInstant) -> Duration {
        .microseconds(microseconds) - .microseconds(steady.microseconds)
    }
}

extension Instant where Scale == SteadyTime {
    /// Shared time at this instant, where it is so far ahead of the clock.
    package func shared(_ offset: Duration) -> SharedReading {
        SharedReading(microseconds: (self + offset).microseconds)
    }
}

extension Duration {
    /// Whole microseconds, what is left being dropped; the nearest that there is where they are too many.
    package var inMicroseconds: Int64 { Int64(clamping: whole(of: 1_000_000)) }

    /// Whole milliseconds, in the same way.
    package var inMilliseconds: Int64 { Int64(clamping: whole(of: 1_000)) }

    /// Whole seconds, in the same way.
    package var inSeconds: Int64 { Int64(clamping: whole(of: 1)) }

    /// Seconds and what is left, as near as a `Double` comes.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// How long it is, whichever way.
    package var magnitude: Duration { self < .zero ? .zero - self : self }

    /// Whole parts of a second, what is left being dropped.
    ///
    /// - Parameter parts: how many of them make a second, a divisor of 10^18.
    @inline(__always)
    func whole(of parts: Int64) -> Int128 {
        short(of: parts).map { Int128($0) } ?? attoseconds / Int128(Duration.attosecondsPerSecond / parts)
    }

    /// The same of a length of some hours at most; nil where it is longer, or negative.
    ///
    /// Every sum of an instant and a length asks this: without the twos of the divisor such a length is one of 64 bits,
    /// and dividing that by what is left of the divisor is a multiplication.
    @inline(__always)
    func short(of parts: Int64) -> Int64? {
        let divisor = Duration.attosecondsPerSecond / parts
        let twos = divisor.trailingZeroBitCount
        guard attoseconds >= 0, let short = Int64(exactly: attoseconds &>> Int128(twos)) else { return nil }
        return short / (divisor &>> Int64(twos))
    }

    /// So many parts of a second.
    ///
    /// - Parameter parts: as in `whole`.
    @inline(__always)
    init(_ count: Int128, of parts: Int64) {
        // Of 65 bits at most, so 128 are enough.
        self.init(attoseconds: count &* Int128(Duration.attosecondsPerSecond / parts))
    }

    private static var attosecondsPerSecond: Int64 { 1_000_000_000_000_000_000 }
}

// Text says in which unit a time is. Swift would take anything into a text, and call an instant by its fields: these are
// what it takes instead, and the warning is what keeps it from being done.

extension DefaultStringInterpolation {
    /// Not to be used: FocusText's `InstantText` has the texts of instants, and `milliseconds` is a number.
    @available(*, deprecated, message: "say how: InstantText.text, or milliseconds")
    package mutating func appendInterpolation<Scale>(_ instant: Instant<Scale>) {
        appendInterpolation(instant.ticks)
    }

    /// Not to be used: `inMilliseconds`, `inSeconds` and `seconds` are numbers.
    @available(*, deprecated, message: "say in which unit: inMilliseconds, inSeconds")
    package mutating func appendInterpolation(_ length: Duration) {
        appendInterpolation(length.inMilliseconds)
    }
}
