package import FocusCore
import FocusText

/// A span in which somebody worked or took a break, as a file holds it.
package struct HistoryEntry: Hashable, Sendable {
    /// What it was for: work or a break.
    package var activity: Activity
    /// When; never empty.
    package var interval: Interval
    /// How it ended: completed work counts for the daily goal.
    package var outcome: Outcome
    /// As replay reads texts.
    package var label: String
    /// What names it, so that it comes in once; nil where the format has no room for that.
    package var source: String?

    /// An entry of these parts, which aren't checked, nor is the label cleaned.
    package init(
        activity: Activity, interval: Interval, outcome: Outcome, label: String, source: String?
    ) {
        self.activity = activity
        self.interval = interval
        self.outcome = outcome
        self.label = label
        self.source = source
    }
}

extension HistoryEntry {
    /// A file's texts as one label: those that say something, in their order, with what parts lines or columns in them
    /// taken for a space.
    static func label(_ texts: String?..., separator: String = ": ") -> String {
        label(texts.compactMap { $0 }, separator: separator)
    }

    /// The same.
    static func label(_ texts: [String], separator: String = ": ") -> String {
        Text.cleaned(
            texts.map { text in
                var line = String.UnicodeScalarView()
                for scalar in text.unicodeScalars {
                    let isControl = scalar.properties.generalCategory == .control
                    line.append(isControl && scalar.properties.isWhitespace ? " " : scalar)
                }
                return Text.cleaned(String(line))
            }.filter { !$0.isEmpty }.joined(separator: separator))
    }
}

extension HistoryFormat {
    /// A source for an entry that its file gives no name: made of what it says, so that the same entry has the same one
    /// whenever it is read.
    package func source(for entry: HistoryEntry) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(entry.activity.rawValue)
        fingerprint.add(entry.label)
        let times = "\(entry.interval.from.milliseconds)-\(entry.interval.to.milliseconds)"
        return "\(rawValue)/\(times)/\(hexadecimal(fingerprint.value))"
    }
}

extension HistoryEntry {
    /// The entries that hold a record: one for each span in which it was running, and of a span of over a day for each
    /// day; the last with the phase's outcome, those before it as stopped, so that focus time and completed phases
    /// count the same.
    ///
    /// - Parameter whole: what the record was split off, if it was: its parts keep their sources, so that what is brought
    ///   whole and then in two isn't there twice.
    package static func parts(of record: PhaseRecord, splitOff whole: PhaseRecord?) -> [HistoryEntry] {
        let intervals = record.spans.intervals.flatMap { $0.parts(of: Action.Record.longest) }
        let first = whole.map { parts(of: $0, splitOff: nil) } ?? []
        return intervals.enumerated().map { index, interval in
            HistoryEntry(
                activity: record.activity, interval: interval,
                outcome: index == intervals.count - 1 ? record.outcome : .stopped, label: record.label,
                source: record.source ?? SplitSource.source(of: interval, in: first, splitBy: record.run)
                    ?? PhasePart(record.name, index).source)
        }
    }

    /// The entry that holds a record as if it had not been paused.
    static func whole(of record: PhaseRecord) -> HistoryEntry? {
        guard let first = record.spans.intervals.first else { return nil }
        return HistoryEntry(
            activity: record.activity,
            interval: Interval(from: first.from, to: first.from + record.active),
            outcome: record.outcome, label: record.label, source: nil)
    }

    /// What adds the entry to a history under some source.
    package func record(source: String) -> Action.Record {
        Action.Record(
            activity: activity.rawValue, startedAt: interval.from, endedAt: interval.to,
            outcome: outcome.rawValue, label: label, source: source)
    }
}

extension HistoryFormat {
    /// The entries that a file of this format holds a record as, before any of it is left out for want of room.
    ///
    /// - Parameter whole: what it was split off, if it was.
    package func entries(of record: PhaseRecord, splitOff whole: PhaseRecord?) -> [HistoryEntry] {
        switch self {
        // A line there is a Pomodoro, and two would be counted as two.
        case .openPomodoro: HistoryEntry.whole(of: record).map { [$0] } ?? []
        case .csv, .ics, .timewarrior, .toggl: HistoryEntry.parts(of: record, splitOff: whole)
        }
    }
}

/// The sources of what was split off: what lies after the split keeps the source that it had, and what the split cut
/// through has that one's, `+` and the run of its own.
package enum SplitSource {
    /// The longest source that is told from others, in scalars (docs/timer-rules.md §4, "Text").
    private static let longest = 200

    /// The source of a part of a record that was split off; nil where it is none of these.
    ///
    /// - Parameters:
    ///   - parts: the entries that held the whole record.
    ///   - run: what the split made.
    static func source(of interval: Interval, in parts: [HistoryEntry], splitBy run: RunID) -> String? {
        guard
            let part = parts.first(where: {
                $0.interval.from <= interval.from && interval.from < $0.interval.to
            }), let source = part.source
        else { return nil }
        if part.interval.from == interval.from { return source }
        let cut = "\(whole(of: source) ?? source)+\(run.text)"
        return cut.unicodeScalars.count <= longest ? cut : nil
    }

    /// The source of what a split cut through, where this is the source of its rest; else nil.
    static func whole(of source: String) -> String? {
        guard let mark = source.lastIndex(of: "+"), RunID(text: String(source[mark...].dropFirst())) != nil
        else { return nil }
        return String(source[..<mark])
    }
}

extension PhasePart {
    /// The part that a source names, or that was cut through to what it names; nil where it names none.
    package init?(source: String) {
        let parts = (SplitSource.whole(of: source) ?? source)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let run = RunID(text: String(parts[0])), let ordinal = Int64(parts[1]),
            let index = Int(parts[2])
        else { return nil }
        self.init(RecordName(run: run, ordinal: ordinal), index)
    }
}

extension SourceSet {
    /// Whether a record of this source is among what was there before, by itself or as a part of what was split since.
    package func hasHad(_ source: String) -> Bool {
        contains(source) || (SplitSource.whole(of: source).map(contains) ?? false)
    }
}

/// How Lockstep names entries in the formats that have room for a name, so that what it wrote comes in again as what
/// it was: `lockstep:` and the entry's source.
enum OwnName {
    private static let mark = "lockstep:"

    static func text(_ source: String) -> String { mark + source }

    /// The source that a name stands for; nil where Lockstep didn't give it.
    static func source(_ name: String) -> String? {
        name.dropping(mark)
    }
}

extension String {
    /// What follows `mark` at the text's start; nil where the text doesn't begin so, or nothing follows. By scalars:
    /// what follows may join its first one to the mark's last as one character.
    func dropping(_ mark: String) -> String? {
        guard utf8.starts(with: mark.utf8), utf8.count > mark.utf8.count else { return nil }
        return String(Substring(utf8.dropFirst(mark.utf8.count)))
    }
}
