/// An instant that a clock of this kind shows, in microseconds since it began. Instants of other kinds of clocks can't be
/// compared with it, nor taken from it.
package struct Instant<Clock>: Hashable, Comparable, Sendable {
    /// Microseconds since the clock began.
    package let microseconds: Int64

    /// So many microseconds after the clock began.
    package init(microseconds: Int64) { self.microseconds = microseconds }

    /// When the clock began.
    package static var zero: Instant { Instant(microseconds: 0) }
    /// Before all others.
    package static var distantPast: Instant { Instant(microseconds: .min) }
    /// After all others: never.
    package static var distantFuture: Instant { Instant(microseconds: .max) }

    package static func < (one: Instant, other: Instant) -> Bool { one.microseconds < other.microseconds }

    /// So much later; where that is nowhere, the last or the first instant there is.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.microseconds.addingReportingOverflow(duration.inMicroseconds)
        guard overflow else { return Instant(microseconds: sum) }
        return duration < .zero ? .distantPast : .distantFuture
    }

    /// So much earlier; where that is nowhere, the first or the last instant there is.
    package static func - (instant: Instant, duration: Duration) -> Instant {
        let (difference, overflow) = instant.microseconds.subtractingReportingOverflow(
            duration.inMicroseconds)
        guard overflow else { return Instant(microseconds: difference) }
        return duration < .zero ? .distantFuture : .distantPast
    }

    /// How much later the first is; negative where it is earlier.
    package static func - (later: Instant, earlier: Instant) -> Duration {
        .microseconds(later.microseconds) - .microseconds(earlier.microseconds)
    }
}

/// A clock that never jumps and counts time asleep: CLOCK_BOOTTIME on a machine, the world's own time in a simulation.
package enum SteadyClock {}

/// An instant on a steady clock. Two of them mean something together only where they are of one machine and one boot.
package typealias SteadyInstant = Instant<SteadyClock>

/// The time that all laptops of a group share: its server's clock, since the Unix epoch, or what a machine takes for that.
package enum SharedTime {}

/// An instant of shared time. Events are stamped with the millisecond that it is in.
package typealias SharedInstant = Instant<SharedTime>

extension Instant where Clock == SharedTime {
    /// So many milliseconds after the Unix epoch; where that is nowhere, the last or the first instant there is.
    package init(milliseconds: Int64) { self = .zero + .milliseconds(milliseconds) }

    /// Whole milliseconds since the Unix epoch.
    package var milliseconds: Int64 { microseconds / 1000 }

    /// The beginning of the millisecond that it is in: what stores keep.
    package var toTheMillisecond: SharedInstant { SharedInstant(milliseconds: milliseconds) }

    /// How far it is ahead of a steady clock that shows this at the same moment.
    package func offset(from steady: SteadyInstant) -> Duration {
        .microseconds(microseconds) - .microseconds(steady.microseconds)
    }
}

extension Instant where Clock == SteadyClock {
    /// Shared time at this instant, where it is so far ahead of the clock.
    package func shared(_ offset: Duration) -> SharedInstant {
        SharedInstant(microseconds: (self + offset).microseconds)
    }
}
