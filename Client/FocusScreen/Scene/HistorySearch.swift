import FocusCore
import FocusFront

/// Finds phases of a history. Each word of a filter must be in the label, the activity or the outcome.
///
/// It is made once per history, at the first search. A search checks each distinct label only once per word,
/// even if many phases have it.
struct HistorySearch {
    private struct Phase {
        /// The index of the label in `labels`.
        let label: Int32
        let activity: Activity
        let outcome: Outcome
    }

    /// The phases, by their places (`HistoryIndex`).
    private let phases: [Phase]
    /// The distinct labels.
    private let labels: [FoldedText]

    /// Prepares the search in a history. Cost: linear in the phases.
    init(_ history: HistoryIndex) {
        var numbers: [String: Int32] = [:]
        var labels: [FoldedText] = []
        var last: (label: String, number: Int32)?
        phases = (0..<history.count).map { place in
            let record = history.record(at: place)
            let number: Int32
            // Most phases have the same label as the one before.
            if let last, last.label == record.label {
                number = last.number
            } else if let known = numbers[record.label] {
                number = known
            } else {
                number = Int32(clamping: labels.count)
                labels.append(FoldedText(record.label))
                numbers[record.label] = number
            }
            last = (record.label, number)
            return Phase(label: number, activity: record.activity, outcome: record.outcome)
        }
        self.labels = labels
    }

    /// Returns the places of the phases that match `filter`, in the order of the history; nil if the filter
    /// has no words.
    ///
    /// Cost: linear in the phases, and in the texts of the labels for each word.
    func places(_ filter: String) -> [Int32]? {
        let words = filter.lowercased().unicodeScalars.split { $0.properties.isWhitespace }
            .map { FoldedText(String($0)) }
        guard let first = words.first else { return nil }
        var found = (0..<Int32(clamping: phases.count)).filter(test(first))
        for word in words.dropFirst() { found = found.filter(test(word)) }
        return found
    }

    /// Returns a test for whether the phase at a place contains a word.
    private func test(_ word: FoldedText) -> (Int32) -> Bool {
        let activities = Set(Activity.allCases.filter { FoldedText($0.words).contains(word) })
        let outcomes = Set(Outcome.allCases.filter { FoldedText($0.rawValue).contains(word) })
        let hasWord = labels.map { $0.contains(word) }
        return { place in
            let phase = phases[Int(place)]
            return hasWord[Int(phase.label)] || (!activities.isEmpty && activities.contains(phase.activity))
                || (!outcomes.isEmpty && outcomes.contains(phase.outcome))
        }
    }
}

/// A lower-case text, prepared for many searches.
private struct FoldedText {
    private let text: String
    /// The characters as bytes if all are printable ASCII, else nil.
    private let bytes: [UInt8]?

    init(_ text: String) {
        let folded = text.lowercased()
        self.text = folded
        let isPlain = folded.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        bytes = isPlain ? Array(folded.utf8) : nil
    }

    func contains(_ word: FoldedText) -> Bool {
        guard let bytes, let sought = word.bytes else { return text.contains(word.text) }
        guard let first = sought.first else { return true }
        guard bytes.count >= sought.count else { return false }
        for start in 0...bytes.count - sought.count where bytes[start] == first {
            if bytes[start..<start + sought.count].elementsEqual(sought) { return true }
        }
        return false
    }
}
