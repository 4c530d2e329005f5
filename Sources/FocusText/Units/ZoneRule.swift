import FocusCore

/// The rule by which a place's clocks change every year, in the notation of TZ (POSIX, "Environment
/// Variables"): `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Hashable, Sendable {
    /// Standard time, or the only time if the clocks don't change.
    private let standard: ZoneFile.Stretch
    /// Summer time; nil if the clocks don't change.
    private let summer: Summer?

    private struct Summer: Hashable {
        let stretch: ZoneFile.Stretch
        let begin: Change
        let end: Change
    }

    /// The day and time of a yearly change of the clocks.
    private struct Change: Hashable {
        let day: YearDay
        /// The seconds from the midnight of that day, by the clocks before the change.
        let time: Int64
    }

    private enum YearDay: Hashable {
        /// `J60`: the day of the year from 1, not counting February 29.
        case julian(Int64)
        /// `59`: the day of the year from 0, counting February 29.
        case day(Int64)
        /// `M3.5.0`: the month, the week from 1 to 5 (5 is the last one), and the day of
        /// the week from 0 for Sunday.
        case weekday(month: Int64, week: Int64, day: Int64)
    }

    /// Returns the offset and its name at an instant.
    ///
    /// - Parameter seconds: The instant, in seconds since the Unix epoch.
    func stretch(at seconds: Int64) -> ZoneFile.Stretch {
        guard let summer else { return standard }
        let day = Day(number: (seconds &+ standard.offset.inSeconds).floored(by: 86_400).quotient)
        let year = day.date.year
        let begin = ZoneRule.seconds(summer.begin, year) - standard.offset.inSeconds
        let end = ZoneRule.seconds(summer.end, year) - summer.stretch.offset.inSeconds
        let isSummer =
            begin <= end ? (begin..<end).contains(seconds) : !(end..<begin).contains(seconds)
        return isSummer ? summer.stretch : standard
    }

    /// Returns the time of a change in a year, in seconds from 1970-01-01 00:00 by
    /// the clocks before the change.
    private static func seconds(_ change: Change, _ year: Int64) -> Int64 {
        // A `Day` can only be made for the years 0 to 9999, so other years are clamped.
        let first = Day(year: min(max(year, 0), 9999), month: 1, day: 1)?.number ?? 0
        let number: Int64
        switch change.day {
        case .day(let day): number = first + day
        case .julian(let day):
            let isLeap = Day(year: min(max(year, 0), 9999), month: 2, day: 29) != nil
            number = first + day - 1 + (isLeap && day >= 60 ? 1 : 0)
        case .weekday(let month, let week, let day):
            let start = Day(year: min(max(year, 0), 9999), month: month, day: 1) ?? Day(number: first)
            // Take the first such day of the month, then add weeks. Go back a week if the
            // month doesn't have that many.
            let ahead = (day - Int64(start.weekday % 7) + 7) % 7
            var found = start.number + ahead + (week - 1) * 7
            while Day(number: found).date.month != month { found -= 7 }
            number = found
        }
        return number * 86_400 + change.time
    }

    /// Parses a rule; nil if the text is none.
    init?(_ text: String) {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        guard let name = scanner.name(), let west = scanner.time(upTo: 24) else { return nil }
        standard = ZoneFile.Stretch(offset: .seconds(-west), abbreviation: name)
        guard !scanner.isAtEnd else {
            summer = nil
            return
        }
        guard let other = scanner.name() else { return nil }
        var offset = standard.offset + .seconds(3600)
        if scanner.next != UInt8(ascii: ",") {
            guard let west = scanner.time(upTo: 24) else { return nil }
            offset = .seconds(-west)
        }
        guard let begin = scanner.change(), let end = scanner.change(), scanner.isAtEnd else { return nil }
        summer = Summer(
            stretch: ZoneFile.Stretch(offset: offset, abbreviation: other), begin: begin, end: end)
    }

    /// A scanner that reads the parts of a rule.
    private struct Scanner {
        var rest: ArraySlice<UInt8>

        var isAtEnd: Bool { rest.isEmpty }
        var next: UInt8? { rest.first }

        /// Reads the character if it comes next, and returns whether it did.
        mutating func take(_ character: Character) -> Bool {
            guard let value = character.asciiValue, rest.first == value else { return false }
            rest.removeFirst()
            return true
        }

        /// Reads a name like `CET` or `<+03>`; nil if none comes next.
        mutating func name() -> String? {
            let isQuoted = take("<")
            let name = rest.prefix { byte in
                let letter = byte | 0x20
                let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
                return isLetter
                    || isQuoted
                        && (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte))
            }
            guard (3...10).contains(name.count) else { return nil }
            rest = rest[name.endIndex...]
            guard !isQuoted || take(">") else { return nil }
            return String(decoding: name, as: UTF8.self)
        }

        /// Reads a number of at most three digits; nil if none in `range` comes next.
        mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest[digits.endIndex...]
            let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return range.contains(value) ? value : nil
        }

        /// Reads a time like `-3:30` and returns it in seconds; nil if none comes next.
        mutating func time(upTo hours: Int64) -> Int64? {
            let sign: Int64 = take("-") ? -1 : 1
            if sign > 0 { _ = take("+") }
            guard var seconds = number(0...hours).map({ $0 * 3600 }) else { return nil }
            for unit: Int64 in [60, 1] where take(":") {
                guard let value = number(0...59) else { return nil }
                seconds += value * unit
            }
            return sign * seconds
        }

        /// Reads a change like `,M10.5.0/3`; nil if none comes next. A change without a time is at 2:00.
        mutating func change() -> Change? {
            guard take(","), let day = yearDay() else { return nil }
            guard take("/") else { return Change(day: day, time: 7200) }
            return time(upTo: 167).map { Change(day: day, time: $0) }
        }

        /// Reads a day like `J60`, `59` or `M3.5.0`; nil if none comes next.
        private mutating func yearDay() -> YearDay? {
            if take("J") { return number(1...365).map(YearDay.julian) }
            guard take("M") else { return number(0...365).map(YearDay.day) }
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let day = number(0...6)
            else { return nil }
            return .weekday(month: month, week: week, day: day)
        }
    }
}
