/// The cleaning of labels, names and sources when replay reads them (docs/timer-rules.md §4, "Text").
package enum Text {
    /// The longest text, in Unicode scalars.
    package static let limit = 200

    /// Returns the text without control characters, trimmed of white space, and cut to `limit` scalars.
    ///
    /// Cost: linear in the text. Plain ASCII text that needs no cleaning is returned unchanged.
    package static func cleaned(_ text: String) -> String {
        if isPlain(text) { return text }
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars.withoutSpaceAround.prefix(limit))
        return String(kept)
    }

    /// Returns a person's text as one cleaned line: line ends and tabs become spaces, so that words stay apart.
    package static func oneLine(_ text: String) -> String {
        if isPlain(text) { return text }
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            line.append(isControl && scalar.properties.isWhitespace ? " " : scalar)
        }
        return cleaned(String(line))
    }

    /// Whether `oneLine` leaves out the end of a person's text, because it is longer than `limit`.
    package static func isTooLong(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.filter {
            $0.properties.isWhitespace || $0.properties.generalCategory != .control
        }
        return scalars.withoutSpaceAround.count > limit
    }

    /// Whether the text is ASCII that needs no cleaning.
    private static func isPlain(_ text: String) -> Bool {
        let utf8 = text.utf8.span
        guard utf8.count <= limit else { return false }
        guard let last = utf8.indices.last else { return true }
        guard utf8[0] != 0x20, utf8[last] != 0x20 else { return false }
        for index in utf8.indices where utf8[index] < 0x20 || utf8[index] >= 0x7F { return false }
        return true
    }
}

extension BidirectionalCollection<Unicode.Scalar> {
    /// The text without the white space at both ends. It is trimmed scalar by scalar, because a space with a
    /// combining mark is one character that must stay. Cost: linear in the white space.
    package var withoutSpaceAround: SubSequence {
        let rest = drop { $0.properties.isWhitespace }
        guard let last = rest.lastIndex(where: { !$0.properties.isWhitespace }) else { return rest }
        return rest[...last]
    }
}
