/// Text on its way to a terminal or a log.
///
/// Labels, names and what a server says come from other machines, and are kept as they came. What in them would
/// garble the text around them is replaced here by U+FFFD, which shows that something stood there and takes as much
/// room. So whatever is printed comes through one of these.
package enum TerminalText {
    /// Data for standard output, without C1 control characters, bidirectional embeddings, overrides and isolates
    /// (UAX #9), and line ends that not all programs count as such. Other control characters are left: colours are
    /// made of them, and replay drops them from labels and names.
    ///
    /// Cost: linear in the text's length; what can hold none of these is returned as it is.
    package static func data(_ text: String) -> String {
        // In UTF-8 all of them begin with one of two bytes.
        guard text.utf8.contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return text }
        return replacing(isGarbling, in: text)
    }

    /// A message for standard error or a log: the same, without any control character but tabs and newlines.
    ///
    /// Cost: linear in the text's length.
    package static func message(_ text: String) -> String {
        replacing(
            { isGarbling($0) || ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || $0 == "\u{7F}" }, in: text)
    }

    private static func isGarbling(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func replacing(_ isUnwanted: (Unicode.Scalar) -> Bool, in text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnwanted) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar) }
        return String(shown)
    }
}
