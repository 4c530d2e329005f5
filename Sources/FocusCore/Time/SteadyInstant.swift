/// An instant on a clock that never jumps and counts time asleep: CLOCK_BOOTTIME on a machine, the world's own time in a
/// simulation. Two of them mean something together only where they are of one machine and one boot.
package struct SteadyInstant: Hashable, Comparable, Sendable {
    /// Microseconds since the clock began.
    package let microseconds: Int64

    /// So many microseconds after the clock began.
    package init(microseconds: Int64) { self.microseconds = microseconds }

    /// When the clock began.
    package static let zero = SteadyInstant(microseconds: 0)
    /// Before all others.
    package static let distantPast = SteadyInstant(microseconds: .min)
    /// After all others: never.
    package static let distantFuture = SteadyInstant(microseconds: .max)

    package static func < (one: SteadyInstant, other: SteadyInstant) -> Bool {
        one.microseconds < other.microseconds
    }

    /// So much later, or `distantFuture` where that is nowhere.
    package static func + (instant: SteadyInstant, duration: Duration) -> SteadyInstant {
        let (sum, overflow) = instant.microseconds.addingReportingOverflow(duration.inMicroseconds)
        guard overflow else { return SteadyInstant(microseconds: sum) }
        return duration < .zero ? .distantPast : .distantFuture
    }

    /// So much earlier, or `distantPast` where that is nowhere.
    package static func - (instant: SteadyInstant, duration: Duration) -> SteadyInstant {
        let (difference, overflow) = instant.microseconds.subtractingReportingOverflow(
            duration.inMicroseconds)
        guard overflow else { return SteadyInstant(microseconds: difference) }
        return duration < .zero ? .distantFuture : .distantPast
    }

    /// How much later the first is; negative where it is earlier.
    package static func - (later: SteadyInstant, earlier: SteadyInstant) -> Duration {
        .microseconds(later.microseconds) - .microseconds(earlier.microseconds)
    }
}
