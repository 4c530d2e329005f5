import FocusCore
import FocusText

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
