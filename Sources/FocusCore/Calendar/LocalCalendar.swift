/// When the days of a place begin. The system knows (FocusClient's `LocalCalendar.here`); here it comes in as a
/// parameter, so that what goes by it is pure.
package struct LocalCalendar: Sendable {
    private let start: @Sendable (Day) -> SharedInstant

    /// - Parameter start: The first instant of a day; no day's lies before that of the day before.
    package init(start: @escaping @Sendable (Day) -> SharedInstant) { self.start = start }

    /// Days of 24 hours, which begin so much earlier than those of UTC.
    package static func fixed(offset: Duration = .zero) -> LocalCalendar {
        LocalCalendar { .midnight(of: $0) - offset }
    }

    /// From the day's first instant to the next day's: 23 or 25 hours where
    /// the clocks change, and nothing for a day that the place left out.
    package func span(of day: Day) -> Interval {
        Interval(from: start(day), to: start(day.advanced(by: 1)))
    }

    /// From the first instant of the first day to the last one's end.
    package func span(of days: ClosedRange<Day>) -> Interval {
        Interval(from: start(days.lowerBound), to: start(days.upperBound.advanced(by: 1)))
    }

    /// The day that has this instant.
    package func day(of instant: SharedInstant) -> Day {
        var day = instant.day
        while start(day) > instant { day = day.advanced(by: -1) }
        while start(day.advanced(by: 1)) <= instant { day = day.advanced(by: 1) }
        return day
    }
}

extension Instant where Scale == SharedTime {
    /// The first instant of a day in UTC.
    package static func midnight(of day: Day) -> SharedInstant {
        SharedInstant(seconds: day.number * 86_400)
    }

    /// The day in UTC.
    fileprivate var day: Day { Day(number: seconds.floored(by: 86_400).quotient) }
}

/// Finds the days of many instants. Where they come in about their order, most lie on the day of the one before,
/// and the calendar isn't asked.
package struct DayCursor {
    private let calendar: LocalCalendar
    private var day = Day(number: 0)
    private var span = Interval(from: .zero, to: .zero)

    /// Finds the days of this calendar, which is asked about the first instant in any case.
    package init(_ calendar: LocalCalendar) { self.calendar = calendar }

    /// The day that has this instant.
    package mutating func day(of instant: SharedInstant) -> Day {
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

    private mutating func move(to instant: SharedInstant) {
        guard instant < span.from || instant >= span.to else { return }
        // Mostly it is the next day, whose beginning is known.
        if instant >= span.to {
            let next = day.advanced(by: 1)
            let end = calendar.span(of: next).to
            if instant < end, span.from < span.to {
                (day, span) = (next, Interval(from: span.to, to: end))
                return
            }
        }
        day = calendar.day(of: instant)
        span = calendar.span(of: day)
    }
}

extension LocalCalendar {
    /// The days of a place, by how far its clocks are ahead of UTC.
    ///
    /// - Parameter offset: How far they are ahead at an instant, in whole seconds; 26 hours at most, either way.
    package init(offset: @escaping @Sendable (SharedInstant) -> Duration) {
        self.init { LocalDays(offset: offset).firstSecond(of: $0) }
    }
}

/// Where the days of a place begin.
private struct LocalDays {
    private static let furthest = Duration.seconds(26 * 3600)

    let offset: (SharedInstant) -> Duration

    /// The first second of a day; the next day's where the place left the day out.
    func firstSecond(of day: Day) -> SharedInstant {
        let midnight = SharedInstant.midnight(of: day)
        // Midnight by the offset that holds there, as on nearly all days.
        let guess = midnight - offset(midnight - offset(midnight))
        if begins(day, at: guess) { return guess }
        // The clocks change about midnight, and it is left out or comes twice.
        var before = midnight - LocalDays.furthest
        var after = midnight + LocalDays.furthest
        while after - before > .seconds(1) {
            let middle = before + .seconds((after - before).inSeconds / 2)
            if self.day(at: middle) >= day { after = middle } else { before = middle }
        }
        return after
    }

    private func begins(_ day: Day, at instant: SharedInstant) -> Bool {
        self.day(at: instant) >= day && self.day(at: instant - .seconds(1)) < day
    }

    private func day(at instant: SharedInstant) -> Day { (instant + offset(instant)).day }
}
