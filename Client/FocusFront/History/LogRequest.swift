package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
package import FocusText

/// A filter of the history by days and labels.
package struct HistoryFilter: Hashable, Sendable {
    /// The days on which phases began, or nil for all.
    package var range: StatsRange?
    /// The choice by label.
    package var choice: WorkChoice

    /// A filter that accepts all records, by default.
    package init(range: StatsRange? = nil, choice: WorkChoice = .all) {
        self.range = range
        self.choice = choice
    }

    /// Returns the records under the chosen labels, of any day.
    func labelled(_ records: [PhaseRecord]) -> [PhaseRecord] {
        choice == .all ? records : records.filter { choice.includes($0.label) }
    }

    /// Returns the chosen days, or nil for all.
    ///
    /// - Parameter records: The records under the chosen labels.
    /// - Throws: `CommandFailure` if the range ends before it begins.
    func days(
        of records: [PhaseRecord], _ calendar: LocalCalendar, at now: SharedInstant
    ) throws(CommandFailure) -> ClosedRange<Day>? {
        guard let range else { return nil }
        let first = records.map { $0.startedAt }.min().map { calendar.day(of: $0) }
        return try range.days(today: calendar.day(of: now), first: first)
    }

    /// Returns the records under the chosen labels that began on the chosen days, in the given order.
    ///
    /// - Throws: `CommandFailure` if the range ends before it begins.
    package func filtered(
        _ records: [PhaseRecord], _ calendar: LocalCalendar, at now: SharedInstant
    ) throws(CommandFailure) -> [PhaseRecord] {
        let records = labelled(records)
        guard let range = try days(of: records, calendar, at: now) else { return records }
        var cursor = DayCursor(calendar)
        return records.filter { range.contains(cursor.day(of: $0.startedAt)) }
    }
}

/// A request to show the log: the arguments of `log`.
package struct LogRequest: Hashable, Sendable {
    /// The filter of the entries to show.
    package var filter: HistoryFilter
    /// Whether to print one JSON object.
    package var json: Bool

    /// A request for the whole history, for people, by default.
    package init(_ filter: HistoryFilter = HistoryFilter(), json: Bool = false) {
        self.filter = filter
        self.json = json
    }
}

/// A request to add an entry: the arguments of `log add`.
package struct AddEntryRequest: Hashable, Sendable {
    /// The time of the entry.
    package enum Time: Hashable, Sendable {
        /// From one time to another, or to now if nil.
        case between(TimeWord, TimeWord?)
        /// This length from a time on.
        case from(TimeWord, Duration)
        /// This length up to a time, or up to now if nil.
        case upTo(TimeWord?, Duration)
    }

    /// The time of the entry.
    package var time: Time
    /// The activity of the entry.
    package var activity: Activity
    /// The label, or an empty text if it has none.
    package var label: String

    /// A request to add work without a label, by default.
    package init(_ time: Time, _ activity: Activity = .work, label: String = "") {
        self.time = time
        self.activity = activity
        self.label = label
    }
}

/// A word that names an instant.
package enum TimeWord: Hashable, Sendable {
    /// The greatest length of an entry over midnight. If an entry ends at an earlier time of day than it begins,
    /// the end is on the next day, unless the entry would be longer than this.
    static let longestNight = Duration.seconds(12 * 3600)
    /// The length of a day by the clock.
    static let day = Duration.seconds(86_400)

    /// A time of today, as the time since midnight by the clock.
    case today(Duration)
    /// A time of a given day, by the local clocks.
    case local(CivilTime)
    case instant(SharedInstant)

    /// The word as a time in the past. `24:00` can't mean the end of today, so it means the end of yesterday.
    fileprivate var inPast: TimeWord {
        guard case .today(let time) = self, time >= TimeWord.day else { return self }
        return .today(time - TimeWord.day)
    }
}

extension AddEntryRequest {
    /// The sentence about how to write a line for an entry.
    package static let lineRule =
        "Write 9:30-10:15 Report, 9:30 45m Report, or 45m Report for what has just ended; you can put a date first, "
        + "as in 2025-11-20 9:30-10:15."

    /// Reads a line that a person types about their work: when, and what.
    ///
    /// - Throws: `ValueProblem` if it doesn't begin with a time.
    package init(line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = AddEntryRequest.takeDay(from: &words)
        guard !words.isEmpty || day != nil else { throw ValueProblem(AddEntryRequest.lineRule) }
        let time = try AddEntryRequest.takeTime(from: &words, on: day)
        self.init(time, label: words.joined(separator: " "))
    }

    /// Returns the label in a line for an entry: all that follows the time and a space. Nil if the line doesn't
    /// get that far.
    package static func label(in line: String) -> Substring? {
        var words = line.split(separator: " ")[...]
        let day = takeDay(from: &words)
        guard (try? takeTime(from: &words, on: day)) != nil else { return nil }
        return end(of: line, from: words)
    }

    /// Returns the end of a line that begins with these words, which are its last. If there are none, returns the
    /// empty end after a space, or nil if the line ends with another character.
    static func end(of line: String, from words: ArraySlice<Substring>) -> Substring? {
        if let first = words.first { return line[first.startIndex...] }
        return line.hasSuffix(" ") ? line[line.endIndex...] : nil
    }

    /// Removes the time of an entry from the beginning of the words and returns it.
    private static func takeTime(
        from words: inout ArraySlice<Substring>, on day: Substring?
    ) throws(ValueProblem) -> Time {
        guard let first = words.popFirst() else { throw problem("A time is missing after \(day ?? "").") }
        if let (from, to) = times(first, on: day) { return .between(from, to) }
        if let from = time(first, on: day) {
            guard let next = words.popFirst() else {
                throw problem("An end or a duration is missing after \(first).")
            }
            guard let length = DurationText.duration(in: next) else {
                throw problem("'\(next)' is not a duration.")
            }
            return .from(from, length)
        }
        guard let length = DurationText.duration(in: first) else {
            throw problem("'\(first)' is \(day == nil ? "neither a time nor a duration" : "not a time").")
        }
        guard day == nil else { throw problem("'\(first)' is a duration: a date is followed by a time.") }
        return .upTo(nil, length)
    }

    /// Returns the problem with a line, and how to write one.
    private static func problem(_ sentence: String) -> ValueProblem {
        ValueProblem("\(sentence) \(AddEntryRequest.lineRule)")
    }

    /// Removes a day from the beginning of the words and returns it, or nil if there is none.
    static func takeDay(from words: inout ArraySlice<Substring>) -> Substring? {
        guard let word = words.first, isDay(word) else { return nil }
        return words.removeFirst()
    }

    /// Returns two times, as in `23:50-00:10`, on the given day or without one. The second may be on the day
    /// after.
    static func times(_ word: Substring, on day: Substring?) -> (TimeWord, TimeWord)? {
        let sides = word.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "-" || $0 == "–" }
        guard sides.count == 2, let from = time(sides[0], on: day), var to = time(sides[1], on: day) else {
            return nil
        }
        if case .local(let first) = from, case .local(let second) = to, second.utc < first.utc,
            second.nextDay.utc - first.utc <= TimeWord.longestNight
        {
            to = .local(second.nextDay)
        }
        return (from, to)
    }

    /// Returns a time on the given day or without one.
    static func time(_ clock: Substring, on day: Substring?) -> TimeWord? {
        TimeWord(day.map { "\($0) \(TimeWord.padded(clock))" } ?? String(clock))
    }

    private static func isDay(_ word: Substring) -> Bool {
        var scanner = TimeScanner(word)
        return scanner.day() != nil && scanner.isAtEnd
    }
}

extension Device {
    /// Returns the past phase that a person wants to add.
    ///
    /// - Throws: `CommandFailure` if its times are impossible.
    package func phase(of request: AddEntryRequest, _ zone: LocalZone) throws(CommandFailure) -> PastPhase {
        let now = try using { device throws(StoreError) in try device.now() }
        let interval = try request.time.interval(now, zone)
        do throws(PastPhase.Problem) {
            return try PastPhase(request.activity, interval, label: request.label)
        } catch {
            throw CommandFailure(error.sentence(interval, zone), .usage)
        }
    }
}

extension AddEntryRequest.Time {
    /// Returns the interval of the entry.
    fileprivate func interval(_ now: SharedInstant, _ zone: LocalZone) throws(CommandFailure) -> Interval {
        switch self {
        case .between(.today(let from), .today(let to)?):
            // An end at 24:00 means the midnight at which today began, so the beginning is yesterday too.
            let isOverMidnight = to < from && to + TimeWord.day - from <= TimeWord.longestNight
            let start = isOverMidnight || to >= TimeWord.day ? from - TimeWord.day : from
            return Interval(
                from: try TimeWord.today(start).instant(now, zone),
                to: try TimeWord.today(to).inPast.instant(now, zone))
        case .between(let from, let to):
            return Interval(
                from: try from.inPast.instant(now, zone), to: try to?.inPast.instant(now, zone) ?? now)
        case .from(let from, let length):
            let start = try from.inPast.instant(now, zone)
            return Interval(from: start, to: start + length)
        case .upTo(let to, let length):
            let end = try to?.inPast.instant(now, zone) ?? now
            return Interval(from: end - length, to: end)
        }
    }
}

extension PastPhase.Problem {
    /// Returns the sentence about an interval that a person gave.
    package func sentence(_ interval: Interval, _ zone: LocalZone) -> String {
        switch self {
        case .noLength:
            "It would end on \(zone.time(at: interval.to).name), which isn't after its beginning on "
                + "\(zone.time(at: interval.from).name)."
        case .tooLong:
            "From \(zone.time(at: interval.from).name) to \(zone.time(at: interval.to).name) is longer than 24 hours, the most that "
                + "an entry can take."
        case .tooEarly: "An entry can't begin before 1970."
        }
    }
}
