extension LocalCalendar {
    /// The days of a place, by how far its clocks are ahead of UTC.
    ///
    /// - Parameter offset: How far they are ahead at an instant, both in seconds, the instant since the Unix epoch;
    ///   26 hours at most, either way.
    package init(offset: @escaping @Sendable (_ seconds: Int64) -> Int64) {
        self.init { SharedInstant(seconds: LocalDays(offset: offset).firstSecond(of: $0)) }
    }
}

/// Where the days of a place begin, in seconds since the Unix epoch.
private struct LocalDays {
    private static let dayLength: Int64 = 86_400
    private static let furthest: Int64 = 26 * 3600

    let offset: (_ seconds: Int64) -> Int64

    /// The first second of a day; the next day's where the place left the day out.
    func firstSecond(of day: Day) -> Int64 {
        let midnight = day.number * LocalDays.dayLength
        // Midnight by the offset that holds there, as on nearly all days.
        let guess = midnight - offset(midnight - offset(midnight))
        if begins(day, at: guess) { return guess }
        // The clocks change about midnight, and it is left out or comes twice.
        var before = midnight - LocalDays.furthest
        var after = midnight + LocalDays.furthest
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if self.day(at: middle) >= day { after = middle } else { before = middle }
        }
        return after
    }

    private func begins(_ day: Day, at seconds: Int64) -> Bool {
        self.day(at: seconds) >= day && self.day(at: seconds - 1) < day
    }

    private func day(at seconds: Int64) -> Day {
        Day(number: (seconds + offset(seconds)).floored(by: LocalDays.dayLength).quotient)
    }
}
