/// A word of a label by which work is counted and found: `#word` or `+word`, as in todo.txt.
package struct LabelTag: Hashable, Comparable, Sendable {
    /// The word with its sign.
    package let text: String

    /// Returns the tags of a label, each once, in order. Punctuation at the end of a word isn't part of the
    /// tag.
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

    /// Whether any tag can be meant by `word`.
    package static func canBeMeant(by word: String) -> Bool {
        (tags(of: word) + tags(of: "#\(word)")).contains { $0.isMeant(by: word) }
    }

    /// Whether `word` names this tag, with its sign or without.
    package func isMeant(by word: String) -> Bool { text == word || text.dropFirst() == word }

    package static func < (left: LabelTag, right: LabelTag) -> Bool { left.text < right.text }
}

/// The work that is asked for.
package enum WorkChoice: Hashable, Sendable {
    case all
    /// Work under this label. The empty label stands for work without a name.
    case label(String)
    /// Work under labels with this tag, given with its sign or without.
    case tag(String)

    /// Whether work under this label is asked for.
    package func includes(_ label: String) -> Bool {
        switch self {
        case .all: true
        case .label(let meant): label == meant
        case .tag(let word): LabelTag.tags(of: label).contains { $0.isMeant(by: word) }
        }
    }
}
