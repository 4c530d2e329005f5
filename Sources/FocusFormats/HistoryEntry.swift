package import FocusCore
import FocusText

/// A span of work or of a break in a file.
package struct HistoryEntry: Hashable, Sendable {
    /// Work or a break.
    package var activity: Activity
    /// The span's interval; never empty.
    package var interval: Interval
    /// The outcome. Completed work counts for the daily goal.
    package var outcome: Outcome
    /// The label, in the form to which replay cleans texts (`Text`).
    package var label: String
    /// The entry's source, by which it is imported only once; nil if the format can't hold one.
    package var source: String?

    /// Creates an entry. The parts aren't checked, and the label isn't cleaned.
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
    /// Joins the non-empty texts of `texts` to one label. Line ends and tabs in them become spaces.
    static func label(_ texts: String?..., separator: String = ": ") -> String {
        label(texts.compactMap { $0 }, separator: separator)
    }

    /// Joins the non-empty texts of `texts` to one label. Line ends and tabs in them become spaces.
    static func label(_ texts: [String], separator: String = ": ") -> String {
        Text.cleaned(
            texts.map { Text.oneLine($0) }.filter { !$0.isEmpty }.joined(separator: separator))
    }
}

extension HistoryEntry {
    /// Returns the entries for a record: one for each running span, and several for a span of over 24
    /// hours. The last has the phase's outcome and the others are stopped, so that focus time and
    /// completed phases stay the same.
    ///
    /// - Parameter whole: The record from which this one was split off, if any. An entry gets the source that
    ///   its span has in that record. So a file with the whole record and a later file with its two parts
    ///   don't import it twice.
    package static func parts(of record: PhaseRecord, splitOff whole: PhaseRecord?) -> [HistoryEntry] {
        let intervals = record.spans.intervals.flatMap { $0.parts(of: Action.Record.longest) }
        let wholeParts = whole.map { parts(of: $0, splitOff: nil) } ?? []
        return intervals.enumerated().map { index, interval in
            HistoryEntry(
                activity: record.activity, interval: interval,
                outcome: index == intervals.count - 1 ? record.outcome : .stopped, label: record.label,
                source: record.source ?? SplitSource.source(of: interval, in: wholeParts, splitBy: record.run)
                    ?? PhasePart(record.name, index).source)
        }
    }

    /// Returns the entry for a record as if it had not been paused; nil if it never ran.
    static func whole(of record: PhaseRecord) -> HistoryEntry? {
        guard let first = record.spans.intervals.first else { return nil }
        return HistoryEntry(
            activity: record.activity,
            interval: Interval(from: first.from, to: first.from + record.active),
            outcome: record.outcome, label: record.label, source: nil)
    }

    /// Returns the `record` action that adds the entry to a history.
    package func record(source: String) -> Action.Record {
        Action.Record(
            activity: activity.rawValue, startedAt: interval.from, endedAt: interval.to,
            outcome: outcome.rawValue, label: label, source: source)
    }
}

/// The sources of entries for a record that was split off. A span that lies after the split keeps its source.
/// The rest of a span that the split cut through gets the span's source, `+`, and the run of the new record.
package enum SplitSource {
    /// The longest source, in Unicode scalars, that is distinguished from others
    /// (docs/timer-rules.md §4, "Text").
    private static let lengthLimit = 200

    /// Returns the source of a span of a record that was split off; nil if it has none.
    ///
    /// - Parameters:
    ///   - parts: The entries of the whole record.
    ///   - run: The run of the record that the split made.
    static func source(of interval: Interval, in parts: [HistoryEntry], splitBy run: RunID) -> String? {
        guard
            let part = parts.first(where: {
                $0.interval.from <= interval.from && interval.from < $0.interval.to
            }), let source = part.source
        else { return nil }
        if part.interval.from == interval.from { return source }
        let cut = "\(whole(of: source) ?? source)+\(run.text)"
        return cut.unicodeScalars.count <= lengthLimit ? cut : nil
    }

    /// Returns the source of the span that a split cut through, given the source of the span's rest. Nil if
    /// `source` isn't the source of a rest.
    static func whole(of source: String) -> String? {
        guard let mark = source.lastIndex(of: "+"), RunID(text: String(source[mark...].dropFirst())) != nil
        else { return nil }
        return String(source[..<mark])
    }
}

extension PhasePart {
    /// Creates the part that a source names, or nil if it names none. The source of a rest after a split
    /// names the part that the split cut through.
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
    /// Whether the set has this source or, if a split cut through a span to make it, the span's source.
    package func containsOrigin(_ source: String) -> Bool {
        contains(source) || (SplitSource.whole(of: source).map(contains) ?? false)
    }
}

/// The names that Lockstep writes in formats that can hold one: `lockstep:` and the entry's source. So
/// Lockstep imports its own entries under the same sources again.
enum LockstepName {
    private static let mark = "lockstep:"

    static func text(_ source: String) -> String { mark + source }

    /// Returns the source in a name; nil if Lockstep didn't write it.
    static func source(_ name: String) -> String? {
        name.dropping(mark)
    }
}

extension String {
    /// Returns the text after the prefix `mark`; nil if the prefix is missing or nothing follows. It compares
    /// UTF-8, because the first scalar after `mark` may form one character with the last scalar of `mark`.
    func dropping(_ mark: String) -> String? {
        guard utf8.starts(with: mark.utf8), utf8.count > mark.utf8.count else { return nil }
        return String(Substring(utf8.dropFirst(mark.utf8.count)))
    }
}
