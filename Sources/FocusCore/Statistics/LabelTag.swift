/// A word of a label that work is counted and found by: `#word` or `+word`, as todo.txt writes them.
package struct LabelTag: Hashable, Comparable, Sendable {
    /// The word with its sign.
    package let text: String

    /// The tags of a label, each once, in their order. What ends a sentence or a part of it isn't part of a word.
    package static func tags(of label: String) -> [LabelTag] {
        guard label.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "+") }) else {
            return []
        }
        var tags: [LabelTag] = []
        for word in label.unicodeScalars.split(whereSeparator: { $0.properties.isWhitespace }) {
            guard let tag = LabelTag(word), !tags.contains(tag) else { continue }
            tags.append(tag)
        }
        return tags
    }

    private init?(_ word: Substring.UnicodeScalarView) {
        var word = word
        guard let sign = word.first, sign == "#" || sign == "+" else { return nil }
        while let last = word.last, ".,;:!?)".unicodeScalars.contains(last) { word.removeLast() }
        guard let first = word.dropFirst().first, first != "#", first != "+" else { return nil }
        text = String(Substring(word))
    }

    /// Whether a person who says this means it: with its sign or without.
    package func isMeant(by word: String) -> Bool { text == word || text.dropFirst() == word }

    package static func < (left: LabelTag, right: LabelTag) -> Bool { left.text < right.text }
}

/// Which work is asked for.
package enum WorkChoice: Hashable, Sendable {
    case all
    /// What was done under this label; the empty one for what has none.
    case label(String)
    /// What was done under labels with this tag, said with its sign or without.
    case tag(String)

    /// Whether it is meant, whatever is done under this label.
    package func includes(_ label: String) -> Bool {
        switch self {
        case .all: true
        case .label(let meant): label == meant
        case .tag(let word): LabelTag.tags(of: label).contains { $0.isMeant(by: word) }
        }
    }
}
