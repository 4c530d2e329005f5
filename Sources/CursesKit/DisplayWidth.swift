/// How many columns of a terminal text takes.
package enum DisplayWidth {
    /// 0 for what combines with the character before it or doesn't show, 2 for what is wide in East Asian type and
    /// for emoji, else 1 (Unicode Standard Annex 11, as `wcwidth` goes by it).
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator,
            .surrogate:
            return 0
        default: break
        }
        // Vowels and finals of Hangul syllables written as parts.
        if (0x1160...0x11FF).contains(value) { return 0 }
        if wide.contains(where: { $0.contains(value) }) { return 2 }
        return scalar.properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains(value) ? 2 : 1
    }

    /// The columns of a whole text.
    package static func of(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + of($1) }
    }

    /// As much of the text as fits into so many columns.
    package static func cut(_ text: String, to columns: Int) -> String {
        var left = columns
        return String(
            text.prefix { character in
                left -= of(String(character))
                return left >= 0
            })
    }

    /// The blocks of characters that take two columns, emoji apart.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
        0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
