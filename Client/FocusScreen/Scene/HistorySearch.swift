import FocusCore
import FocusWords

/// Finds phases of a history by words: all of them have to be in the label, the kind or the outcome. It is made once for
/// a history, as it is first searched; then each label is looked at once for each word, however many phases have it.
struct HistorySearch {
    private struct Phase {
        let label: Int32
        let activity: Activity
        let outcome: Outcome
    }

    private let phases: [Phase]
    /// The labels, each once.
    private let labels: [FoldedText]

    /// Cost: linear in the phases.
    init(_ book: HistoryBook) {
        var numbers: [String: Int32] = [:]
        var labels: [FoldedText] = []
        var last: (label: String, number: Int32)?
        phases = (0..<book.count).map { place in
            let record = book.record(at: place)
            let number: Int32
            // Most phases have the label of the one before.
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

    /// How many different labels there are.
    var labelCount: Int { labels.count }

    /// The places of the phases that `filter` lets through, in the book's order; nil where it lets all through.
    ///
    /// Cost: linear in the phases, and in the labels' texts for each word.
    func places(_ filter: String) -> [Int32]? {
        let words = filter.lowercased().split(separator: " ").map { FoldedText(String($0)) }
        guard let first = words.first else { return nil }
        var found = (0..<Int32(clamping: phases.count)).filter(test(first))
        for word in words.dropFirst() { found = found.filter(test(word)) }
        return found
    }

    /// Whether a word is in the phase at a place.
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

/// A text in small letters, to be searched often.
private struct FoldedText {
    private let text: String
    /// Its bytes where it is ASCII, where they are its characters too.
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
