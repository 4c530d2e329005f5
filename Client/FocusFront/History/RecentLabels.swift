package import FocusCore

/// The labels of a history, each once, the most recent first. They are offered while a label is typed.
package struct RecentLabels: Hashable, Sendable {
    /// The labels; the empty label isn't one of them.
    package let all: [String]

    /// Labels in this order.
    package init(_ labels: [String] = []) { all = labels }

    /// At most `limit` labels of the `newest` records of a history.
    ///
    /// Cost: linear in these records.
    package init(_ history: History, limit: Int = 200, among newest: Int = 20_000) {
        var labels: [String] = []
        var known: Set<String> = []
        var last = ""
        for record in history.records.suffix(newest).reversed() {
            // Most phases have the same label as the one before.
            guard !record.label.isEmpty, record.label != last else { continue }
            last = record.label
            if known.insert(last).inserted { labels.append(last) }
            if labels.count >= limit { break }
        }
        all = labels
    }

    /// Returns at most `limit` labels that contain each word of `typed`, in capitals or not. The label that
    /// is typed already isn't returned. The page does the same (`labels.js`): words are separated by scalars
    /// with the property White_Space, and scalars are compared.
    package func matching(_ typed: String, limit: Int) -> [String] {
        let words = typed.lowercased().unicodeScalars.split { $0.properties.isWhitespace }
        let own = RecentLabels.trimmed(typed)
        return Array(
            all.lazy.filter { label in
                let folded = label.lowercased().unicodeScalars
                return !label.unicodeScalars.elementsEqual(own)
                    && words.allSatisfy { folded.firstPlace(of: $0) != nil }
            }.prefix(max(0, limit)))
    }

    /// Returns the scalars without white space at both ends.
    private static func trimmed(_ text: String) -> Substring.UnicodeScalarView {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return scalars
    }
}
