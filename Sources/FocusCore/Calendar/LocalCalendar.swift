/// When the days of a place begin. The system knows (FocusClient's `LocalCalendar.here`); here it comes in as a
/// parameter, so that what goes by it is pure.
package struct LocalCalendar: Sendable {
    private static let dayLength: Int64 = 86_400_000

    private let start: @Sendable (Day) -> Int64

    /// - Parameter start: The first instant of a day, in milliseconds since the Unix epoch; no day's lies before
    ///   that of the day before.
    package init(start: @escaping @Sendable (Day) -> Int64) { self.start = start }

    /// Days of 24 hours, which begin `offset` milliseconds before those of UTC.
    package static func fixed(offset: Int64 = 0) -> LocalCalendar {
        LocalCalendar { $0.number * dayLength - offset }
    }

    /// From the day's first instant to the next day's, in milliseconds since the Unix epoch: 23 or 25 hours where
    /// the clocks change, and nothing for a day that the place left out.
    package func span(of day: Day) -> Interval {
        Interval(from: start(day), to: start(day.advanced(by: 1)))
    }

    /// From the first instant of the first day to the last one's end.
    package func span(of days: ClosedRange<Day>) -> Interval {
        Interval(from: start(days.lowerBound), to: start(days.upperBound.advanced(by: 1)))
    }

    /// The day that has this instant, in milliseconds since the Unix epoch.
    package func day(of instant: Int64) -> Day {
        var day = Day(number: instant.floored(by: LocalCalendar.dayLength).quotient)
        while start(day) > instant { day = day.advanced(by: -1) }
        while start(day.advanced(by: 1)) <= instant { day = day.advanced(by: 1) }
        return day
    }
}

/// Finds the days of many instants. Where they come in about their order, most lie on the day of the one before,
/// and the calendar isn't asked.
package struct DayCursor {
    private let calendar: LocalCalendar
    private var day = Day(number: 0)
    private var span = Interval(from: 0, to: 0)

    /// Finds the days of this calendar, which is asked about the first instant in any case.
    package init(_ calendar: LocalCalendar) { self.calendar = calendar }

    /// The day that has this instant, in milliseconds since the Unix epoch.
    package mutating func day(of instant: Int64) -> Day {
        move(to: instant)
        return day
    }

    /// The parts of a span by the days they lie on, the first one first.
    package mutating func split(_ interval: Interval, _ body: (Day, Interval) -> Void) {
        var from = interval.from
        while from < interval.to {
            move(to: from)
            let to = min(interval.to, span.to)
            body(day, Interval(from: from, to: to))
            from = to
        }
    }

    private mutating func move(to instant: Int64) {
        guard instant < span.from || instant >= span.to else { return }
        day = calendar.day(of: instant)
        span = calendar.span(of: day)
    }
}
