/// Texts as replay reads them (docs/timer-rules.md §4, "Text"): labels, names and sources.
package enum Text {
    /// The longest text, in Unicode scalars.
    package static let limit = 200

    /// The text without control characters, trimmed of white space, and cut to `limit` scalars.
    ///
    /// Cost: linear in the text; plain ASCII that needs no cleaning is returned as it is.
    package static func cleaned(_ text: String) -> String {
        if isPlain(text) { return text }
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars[first...last].prefix(limit))
        return String(kept)
    }

    /// Whether the text is ASCII that needs no cleaning.
    private static func isPlain(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard utf8.count <= limit else { return false }
        guard let first = utf8.first, let last = utf8.last else { return true }
        return first != 0x20 && last != 0x20 && utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
