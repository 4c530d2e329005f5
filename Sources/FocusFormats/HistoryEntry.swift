package import FocusCore

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
