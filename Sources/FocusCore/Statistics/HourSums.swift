/// Sums of focus time by the hour of the day, as the clocks of a place show it.
struct HourSums {
    /// The sums of the hours from 0 to 23.
    private(set) var sums = [Duration](repeating: .zero, count: 24)

    private let calendar: LocalCalendar
    /// A span in which the clocks don't change.
    private var steady = Interval(from: .zero, to: .zero)
    /// The offset of the clocks from UTC in that span.
    private var offset = Duration.zero

    private static let hour = Duration.seconds(3600)
    /// The length of a span in which the clocks change at most once.
    private static let day = Duration.seconds(86_400)

    init(_ calendar: LocalCalendar) { self.calendar = calendar }

    /// Adds a span to the sums of its hours.
    ///
    /// Cost: linear in its hours, and one or two lookups in the calendar for each day. On a day on which the
    /// clocks change it is a few dozen.
    mutating func add(_ interval: Interval) {
        var from = interval.from
        while from < interval.to {
            move(to: from)
            let shown = (from + offset).milliseconds.floored(by: HourSums.hour.inMilliseconds)
            let end = from + HourSums.hour - .milliseconds(shown.rest)
            let to = min(interval.to, steady.to, end)
            sums[Int(shown.quotient.floored(by: 24).rest)] += to - from
            from = to
        }
    }

    /// Finds the offset at an instant, and how long it stays the same.
    private mutating func move(to instant: SharedInstant) {
        guard instant < steady.from || instant >= steady.to else { return }
        offset = calendar.offset(at: instant)
        let end = instant + HourSums.day
        steady = Interval(from: instant, to: end)
        guard calendar.offset(at: end) != offset else { return }
        // Bisection finds the millisecond of the change.
        var same = instant.milliseconds
        var other = end.milliseconds
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if calendar.offset(at: SharedInstant(milliseconds: middle)) == offset {
                same = middle
            } else {
                other = middle
            }
        }
        steady = Interval(from: instant, to: SharedInstant(milliseconds: other))
    }
}
