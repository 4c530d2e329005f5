package import CommandLineKit
package import FocusCore
import FocusDevice
package import FocusText

/// A change to the times of an entry in the history.
package enum EntryChange: Hashable, Sendable {
    /// The entry began at this time, and took as long as before.
    case move(TimeWord)
    /// The entry began and ended at these times. If a time is nil, it stays as it is.
    case between(TimeWord?, TimeWord?)
    /// This length was worked, from the entry's beginning on.
    case length(Duration)
    /// Another activity began at this time: the entry becomes two. The second one has this label, or the
    /// entry's label if nil.
    case split(TimeWord, label: String?)
}

extension EntryChange {
    /// Returns the interaction that makes the change on a record.
    ///
    /// A time without a day is on the record's day, or on the next day if the entry crosses midnight.
    ///
    /// - Throws: `CommandFailure` if the times are impossible, or the same as before.
    package func interaction(on record: PhaseRecord, _ zone: LocalZone) throws(CommandFailure) -> Interaction
    {
        switch self {
        case .move(let time):
            let from = try time.instant(record.startedAt, zone)
            return try retiming(record, from: from, to: from + (record.endedAt - record.startedAt), zone)
        case .between(let start, let end):
            let crossesMidnight = zone.time(at: record.startedAt).day != zone.time(at: record.endedAt).day
            var from =
                try start?.instant(record.startedAt, zone, shown: record.startedAt) ?? record.startedAt
            // A person who types the shown minute means the shown time, not the minute's first second.
            if from == record.startedAt.minute { from = record.startedAt }
            // If the entry crosses midnight, a time of day before the shown beginning is on the second day,
            // if it is before the shown end there.
            if from < record.startedAt, crossesMidnight,
                let next = try? start?.instant(onDayAfter: record.startedAt, zone), next < record.endedAt
            {
                from = next
            }
            var to = try end?.instant(from, zone, shown: record.endedAt) ?? record.endedAt
            // An end without a day is on the day of the beginning, or on the next day. If the entry crossed
            // midnight before, it is on the next day unless it is after the beginning. Otherwise it is there
            // only if it is before the beginning, and the entry is then at most `longestNight` long.
            if to <= from, let next = try end?.instant(onDayAfter: from, zone),
                crossesMidnight || to < from && next - from <= TimeWord.longestNight
            {
                to = next
            }
            // As for the beginning: the shown minute means the shown end.
            if to == record.endedAt.minute { to = record.endedAt }
            return try retiming(record, from: from, to: to, zone)
        case .length(let length):
            let to = record.end(ofWork: length)
            return try retiming(record, from: record.startedAt, to: to, zone)
        case .split(let time, let label):
            var instant = try time.instant(record.startedAt, zone)
            if instant < record.startedAt, let next = try time.instant(onDayAfter: record.startedAt, zone) {
                instant = next
            }
            if time.namesMinute { instant = record.splitInstant(inMinute: instant) }
            guard record.canBeSplit(at: instant) else {
                throw CommandFailure(
                    "The entry runs from \(zone.clock(record.startedAt)) to \(zone.clock(record.endedAt)): say a time in between.",
                    .usage)
            }
            // The log's split by itself would give the second one the label from before any correction.
            return .split(record.name, at: instant, label: label ?? record.label)
        }
    }

    private func retiming(
        _ record: PhaseRecord, from: SharedInstant, to: SharedInstant, _ zone: LocalZone
    ) throws(CommandFailure) -> Interaction {
        let interval = Interval(from: from, to: to)
        do throws(PastPhase.Problem) {
            _ = try PastPhase(record.activity, interval, label: record.label)
        } catch {
            throw CommandFailure(error.sentence(interval, zone), .usage)
        }
        guard from != record.startedAt || to != record.endedAt else {
            throw CommandFailure("It is already at that time.", .notNow)
        }
        // If the length stays the same, the entry is moved, and its pauses with it.
        let isMoved = to - from == record.endedAt - record.startedAt
        return .retime(record.name, interval, shift: isMoved ? from - record.startedAt : .zero)
    }
}

extension TimeWord {
    /// Whether it names a minute, not an exact instant. A person who types a minute doesn't mean its first
    /// second.
    fileprivate var namesMinute: Bool { if case .instant = self { false } else { true } }

    /// Returns the instant that the word names on the day after that of `instant`. Returns nil if the word
    /// names its day itself.
    func instant(
        onDayAfter instant: SharedInstant, _ zone: LocalZone
    ) throws(CommandFailure) -> SharedInstant? {
        guard case .today(let sinceMidnight) = self else { return nil }
        return try TimeWord.today(sinceMidnight + TimeWord.day).instant(instant, zone)
    }
}

extension SharedInstant {
    /// The beginning of its minute.
    var minute: SharedInstant { SharedInstant(seconds: seconds.floored(by: 60).quotient * 60) }
}

extension PhaseRecord {
    /// Returns when the record ends if `length` is worked. If that is more than was worked, the end moves by
    /// the difference.
    fileprivate func end(ofWork length: Duration) -> SharedInstant {
        var left = length
        for span in spans.intervals {
            guard left > span.length else { return span.from + left }
            left -= span.length
        }
        return endedAt + left
    }

    /// Returns the instant at which to split the record within the minute that begins at `minute`.
    ///
    /// At that instant, whole minutes have been worked. So the lengths of both parts, as shown in minutes, add
    /// up to the length of the whole. If no work leads there without a pause, returns `minute` itself.
    fileprivate func splitInstant(inMinute minute: SharedInstant) -> SharedInstant {
        let before = spans.intervals.reduce(Duration.zero) { sum, span in
            sum + max(.zero, min(span.to, minute) - span.from)
        }
        let whole = Duration.seconds(before.inSeconds / 60 * 60)
        let instant = minute + (before == whole ? .zero : whole + .seconds(60) - before)
        let isWorked = spans.intervals.contains { $0.from <= minute && instant <= $0.to }
        return isWorked ? instant : minute
    }

    /// Whether there was work both before and after an instant.
    fileprivate func canBeSplit(at instant: SharedInstant) -> Bool {
        spans.intervals.contains { $0.from < instant } && spans.intervals.contains { $0.to > instant }
    }
}

extension EntryChange {
    /// The sentence about how to write an entry's times.
    package static let timesRule =
        "Write 9:30-10:15, or 9:30 for when it began, or 45m for how long it took; you can put a date first."

    /// The sentence about how to write the split of an entry.
    package static let splitRule = "Write when the second one began, and what it was, as in 9:30 Mail."

    /// Reads a line that a person types about an entry's times.
    ///
    /// - Throws: `ValueProblem` if it is malformed.
    package init(times line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = AddEntryRequest.takeDay(from: &words)
        let problem = ValueProblem("'\(line)' is neither a time nor a duration. \(EntryChange.timesRule)")
        guard let word = words.popFirst(), words.isEmpty else { throw problem }
        if let (from, to) = AddEntryRequest.times(word, on: day) {
            self = .between(from, to)
        } else if let from = AddEntryRequest.time(word, on: day) {
            self = .move(from)
        } else if day == nil, let length = DurationText.duration(in: word),
            (Duration.seconds(1)...Duration.seconds(86_400)).contains(length)
        {
            self = .length(length)
        } else {
            throw problem
        }
    }

    /// Returns the second entry's label in a line for a split: all that follows the time and a space. Nil if the
    /// line doesn't get that far.
    package static func label(inSplit line: String) -> Substring? {
        var words = line.split(separator: " ")[...]
        let day = AddEntryRequest.takeDay(from: &words)
        guard let word = words.popFirst(), AddEntryRequest.time(word, on: day) != nil else { return nil }
        return AddEntryRequest.end(of: line, from: words)
    }

    /// Reads a line that a person types to split an entry in two.
    ///
    /// - Throws: `ValueProblem` if it doesn't begin with a time.
    package init(split line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = AddEntryRequest.takeDay(from: &words)
        guard let word = words.popFirst(), let time = AddEntryRequest.time(word, on: day) else {
            throw ValueProblem("'\(line)' doesn't begin with a time. \(EntryChange.splitRule)")
        }
        self = .split(time, label: words.isEmpty ? nil : words.joined(separator: " "))
    }
}
