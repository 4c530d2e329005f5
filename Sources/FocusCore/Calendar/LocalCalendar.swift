/// The instants at which the days of a place begin, and its clocks. The system knows them (FocusClient's
/// `LocalCalendar.current`). They are passed in as a parameter, so that the code that uses them is pure.
package struct LocalCalendar: Sendable {
    private let start: @Sendable (Day) -> SharedInstant
    private let ahead: @Sendable (SharedInstant) -> Duration

    /// Creates a calendar from the first instant of each day and the offset of the clocks.
    ///
    /// - Parameters:
    ///   - offset: Returns how far the clocks are ahead of UTC at an instant.
    ///   - start: Returns the first instant of a day, which is never before that of the day before.
    package init(
        offset: @escaping @Sendable (SharedInstant) -> Duration,
        start: @escaping @Sendable (Day) -> SharedInstant
    ) {
        ahead = offset
        self.start = start
    }

    /// Returns a calendar of 24-hour days, which begin `offset` earlier than in UTC.
    package static func fixed(offset: Duration = .zero) -> LocalCalendar {
        LocalCalendar(offset: { _ in offset }, start: { .midnight(of: $0) - offset })
    }

    /// Returns how far the place's clocks are ahead of UTC at an instant.
    package func offset(at instant: SharedInstant) -> Duration { ahead(instant) }

    /// Returns the time from the day's first instant to the next day's. It is 23 or 25 hours long if the
    /// clocks change, and empty for a day that the place skipped.
    package func span(of day: Day) -> Interval {
        Interval(from: start(day), to: start(day.advanced(by: 1)))
    }

    /// Returns the time from the first instant of the first day to the end of the last day.
    package func span(of days: ClosedRange<Day>) -> Interval {
        Interval(from: start(days.lowerBound), to: start(days.upperBound.advanced(by: 1)))
    }

    /// Returns the day that contains this instant.
    package func day(of instant: SharedInstant) -> Day {
        var day = instant.day
        while start(day) > instant { day = day.advanced(by: -1) }
        while start(day.advanced(by: 1)) <= instant { day = day.advanced(by: 1) }
        return day
    }
}

extension Instant where Scale == SharedTime {
    /// Returns the first instant of a day in UTC.
    package static func midnight(of day: Day) -> SharedInstant {
        SharedInstant(seconds: day.number * 86_400)
    }

    /// The day in UTC.
    fileprivate var day: Day { Day(number: seconds.floored(by: 86_400).quotient) }
}

/// A lookup of the days of many instants. If the instants are roughly in order, most lie on the day found
/// last, and the calendar isn't asked.
package struct DayCursor {
    private let calendar: LocalCalendar
    private var day = Day(number: 0)
    private var span = Interval(from: .zero, to: .zero)

    /// Creates a lookup in this calendar. The first lookup always asks the calendar.
    package init(_ calendar: LocalCalendar) { self.calendar = calendar }

    /// Returns the day that contains this instant.
    package mutating func day(of instant: SharedInstant) -> Day {
        move(to: instant)
        return day
    }

    /// Calls `body` for each day that the interval lies on, in order, with the part of the interval on that
    /// day.
    package mutating func split(_ interval: Interval, _ body: (Day, Interval) -> Void) {
        var from = interval.from
        while from < interval.to {
            move(to: from)
            let to = min(interval.to, span.to)
            body(day, Interval(from: from, to: to))
            from = to
        }
    }

    /// Moves to the day that contains the instant.
    private mutating func move(to instant: SharedInstant) {
        guard instant < span.from || instant >= span.to else { return }
        // Usually the instant lies on the next day, which begins at the end of the present span.
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
    /// Creates the calendar of a place from the offset of its clocks from UTC.
    ///
    /// - Parameter offset: Returns how far the clocks are ahead of UTC at an instant: whole seconds, at most
    ///   26 hours in either direction.
    package init(offset: @escaping @Sendable (SharedInstant) -> Duration) {
        self.init(offset: offset, start: { LocalDays(offset: offset).firstSecond(of: $0) })
    }
}

/// The beginnings of a place's days, worked out from the offset of its clocks.
private struct LocalDays {
    /// An upper bound on the distance between a day's beginning and its midnight in UTC.
    private static let furthest = Duration.seconds(26 * 3600)

    let offset: (SharedInstant) -> Duration

    /// Returns the first second of a day. If the place skipped the day, it is the first second of the next
    /// day.
    func firstSecond(of day: Day) -> SharedInstant {
        let midnight = SharedInstant.midnight(of: day)
        // Midnight by the offset in force at that time, which is right on nearly all days.
        let guess = midnight - offset(midnight - offset(midnight))
        if begins(day, at: guess) { return guess }
        // The clocks change around midnight, which is skipped or happens twice. Bisection finds the first
        // second.
        var before = midnight - LocalDays.furthest
        var after = midnight + LocalDays.furthest
        while after - before > .seconds(1) {
            let middle = before + .seconds((after - before).inSeconds / 2)
            if self.day(at: middle) >= day { after = middle } else { before = middle }
        }
        return after
    }

    /// Whether the instant is the first second that isn't before the day.
    private func begins(_ day: Day, at instant: SharedInstant) -> Bool {
        self.day(at: instant) >= day && self.day(at: instant - .seconds(1)) < day
    }

    /// Returns the place's day at an instant.
    private func day(at instant: SharedInstant) -> Day { (instant + offset(instant)).day }
}
