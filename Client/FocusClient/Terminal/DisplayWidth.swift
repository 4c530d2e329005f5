/// How many columns of a terminal a text takes, and what fits into some.
enum DisplayWidth {
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    /// Two for what is drawn wide (Unicode Standard Annex #11, and emoji), else one.
    private static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first, !scalar.isASCII else { return 1 }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
        0x20000...0x3FFFD,
    ]

    /// As much of the text as fits.
    static func cut(_ text: String, to columns: Int) -> String {
        var left = columns
        return String(
            text.prefix { character in
                left -= of(character)
                return left >= 0
            })
    }
}
