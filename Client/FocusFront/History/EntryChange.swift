package import CommandLineKit
package import FocusCore
import FocusDevice
package import FocusText

/// What a person wants of when an entry of the history was.
package enum EntryChange: Hashable, Sendable {
    /// It began then, and took as long.
    case move(TimeWord)
    /// It began or ended then; where one is nil, as before.
    case between(TimeWord?, TimeWord?)
    /// So long was worked, from its beginning on.
    case last(Duration)
    /// Something else began then: the entry becomes two, the second under this label, or the same where that is nil.
    case split(TimeWord, label: String?)
}

extension EntryChange {
    /// What is to be done about a record.
    ///
    /// A time without a day is of the day that the record is of, or of the one beside it, where it crosses midnight.
    ///
    /// - Throws: where it can't have been so, or was so before.
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
            // Who says the minute that is shown doesn't mean its first second.
            if from == record.startedAt.minute { from = record.startedAt }
            if from < record.startedAt, crossesMidnight,
                let next = try? start?.instantNextDay(record.startedAt, zone), next < record.endedAt
            {
                from = next
            }
            let day = start == nil ? record.startedAt : from
            var to = try end?.instant(day, zone, shown: record.endedAt) ?? record.endedAt
            if to <= from, let next = try end?.instantNextDay(from, zone),
                crossesMidnight || to < from && next - from <= TimeWord.longestNight
            {
                to = next
            }
            if to == record.endedAt.minute { to = record.endedAt }
            return try retiming(record, from: from, to: to, zone)
        case .last(let length):
            let to = record.end(ofWork: length)
            return try retiming(record, from: record.startedAt, to: to, zone)
        case .split(let time, let label):
            var instant = try time.instant(record.startedAt, zone)
            if instant < record.startedAt, let next = try time.instantNextDay(record.startedAt, zone) {
                instant = next
            }
            if time.isOfMinute { instant = record.wholeMinute(in: instant) }
            guard record.canBeSplit(at: instant) else {
                throw CommandFailure(
                    "The entry runs from \(zone.clock(record.startedAt)) to \(zone.clock(record.endedAt)): say a time in between.",
                    .usage)
            }
            return .split(record.name, at: instant, label: label)
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
        // As long as before, it was moved, and with it its pauses.
        let isMoved = to - from == record.endedAt - record.startedAt
        return .retime(record.name, interval, shift: isMoved ? from - record.startedAt : .zero)
    }
}

extension TimeWord {
    /// Whether it is a minute of a clock: whoever says that doesn't mean its first second.
    fileprivate var isOfMinute: Bool { if case .instant = self { false } else { true } }

    /// The instant on the day after `now`'s; nil where the word names its day itself.
    fileprivate func instantNextDay(_ now: SharedInstant, _ zone: LocalZone) throws(CommandFailure)
        -> SharedInstant?
    {
        guard case .today(let sinceMidnight) = self else { return nil }
        return try TimeWord.today(sinceMidnight + TimeWord.day).instant(now, zone)
    }
}

extension SharedInstant {
    /// The beginning of the minute that it is in.
    var minute: SharedInstant { SharedInstant(seconds: seconds.floored(by: 60).quotient * 60) }
}

extension PhaseRecord {
    /// When it would have ended, had only so much been worked: where that is more than was, so much later.
    fileprivate func end(ofWork length: Duration) -> SharedInstant {
        var left = length
        for span in spans.intervals {
            guard left > span.length else { return span.from + left }
            left -= span.length
        }
        return endedAt + left
    }

    /// The instant of a minute before which whole minutes were worked, so that what is shown of the lengths of both
    /// parts adds up to what was shown of the whole; the minute's beginning if there is none.
    fileprivate func wholeMinute(in minute: SharedInstant) -> SharedInstant {
        let before = spans.intervals.reduce(Duration.zero) { sum, span in
            sum + max(.zero, min(span.to, minute) - span.from)
        }
        let whole = Duration.seconds(before.inSeconds / 60 * 60)
        let instant = minute + (before == whole ? .zero : whole + .seconds(60) - before)
        let isWorked = spans.intervals.contains { $0.from <= minute && instant <= $0.to }
        return isWorked ? instant : minute
    }

    /// Whether something was worked before an instant and after it.
    fileprivate func canBeSplit(at instant: SharedInstant) -> Bool {
        spans.intervals.contains { $0.from < instant } && spans.intervals.contains { $0.to > instant }
    }
}

extension EntryChange {
    /// How a line that says when an entry was is written, as a sentence.
    package static let timesRule =
        "Write 9:30-10:15, or 9:30 for when it began, or 45m for how long it took; you can put a date first."

    /// How a line that splits an entry is written, as a sentence.
    package static let splitRule = "Write when the second one began, and what it was, as in 9:30 Mail."

    /// What a line says that a person types of when an entry was.
    ///
    /// - Throws: what is wrong with it.
    package init(times line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = PastRequest.takeDay(from: &words)
        let problem = ValueProblem("'\(line)' is neither a time nor a duration. \(EntryChange.timesRule)")
        guard let word = words.popFirst(), words.isEmpty else { throw problem }
        if let (from, to) = PastRequest.times(word, on: day) {
            self = .between(from, to)
        } else if let from = PastRequest.time(word, on: day) {
            self = .move(from)
        } else if day == nil, let length = DurationText.duration(in: word),
            (Duration.seconds(1)...Duration.seconds(86_400)).contains(length)
        {
            self = .last(length)
        } else {
            throw problem
        }
    }

    /// What a line says that a person types to make two entries of one.
    ///
    /// - Throws: what is wrong with it, where it doesn't begin with a time.
    package init(split line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = PastRequest.takeDay(from: &words)
        guard let word = words.popFirst(), let time = PastRequest.time(word, on: day) else {
            throw ValueProblem("'\(line)' doesn't begin with a time. \(EntryChange.splitRule)")
        }
        self = .split(time, label: words.isEmpty ? nil : words.joined(separator: " "))
    }
}
