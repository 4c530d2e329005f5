/// Text for a terminal or a log.
///
/// Labels, names and a server's messages come from other machines and are stored unchanged. Characters that
/// would garble the text around them are replaced here by U+FFFD, which is visible and has the same width. So
/// all output must pass through one of these functions.
package enum TerminalText {
    /// Returns data for standard output, without C1 control characters, bidirectional controls (UAX #9),
    /// unusual line ends, and path bytes that aren't UTF-8. Other control characters stay because colours
    /// need them; replay removes them from labels and names. Cost: linear in the length; clean text is
    /// returned without a copy.
    package static func data(_ text: String) -> String {
        // In UTF-8, each of these characters begins with one of three bytes.
        guard text.utf8.contains(where: { $0 == 0xC2 || $0 == 0xE2 || $0 == 0xF4 }) else { return text }
        return replacing(isGarbling, in: text)
    }

    /// Returns a message for standard error or a log: as `data(_:)`, and without control characters except
    /// tabs and newlines.
    ///
    /// Cost: linear in the text's length.
    package static func message(_ text: String) -> String {
        replacing(
            { isGarbling($0) || ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || $0 == "\u{7F}" }, in: text)
    }

    /// Returns text from another machine for use within a line: as `message(_:)`, with spaces in place of
    /// newlines and tabs.
    ///
    /// Cost: linear in the text's length.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\t" }) else { return message(text) }
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar == "\n" || scalar == "\t" ? " " : scalar) }
        return message(String(line))
    }

    private static func isGarbling(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        // A byte that isn't part of UTF-8, as `SystemText.isByte` knows it. A browser has no SystemKit.
        case 0x10F780...0x10F7FF: true
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

/// Breaks text into lines. A word that is longer than a line stays whole.
package enum TextLayout {
    /// The width of help in columns; most terminals are at least this wide.
    package static let width = 80

    /// Returns a summary as a sentence: with a capital and a full stop.
    package static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// Breaks a message into lines for a terminal, between words. A line that begins with a space is meant to
    /// be copied, and stays whole.
    ///
    /// - Parameters:
    ///   - width: The terminal's columns; nil leaves all lines whole.
    ///   - columns: Returns the number of columns of a text.
    package static func message(
        _ text: String, width: Int?, columns: (String) -> Int = { $0.count }
    ) -> String {
        guard let width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard columns(String(line)) > width, line.first != " " else { return String(line) }
            // A question ends in a space, after which the person types.
            let end = line.last == " " ? " " : ""
            let words = line.split(separator: " ").map(String.init)
            return wrap(words: words, width: width - end.count, columns: columns).joined(separator: "\n")
                + end
        }.joined(separator: "\n")
    }

    /// Returns the words of `text` in lines of `width` columns. The first line begins with `first`, the
    /// others with `rest`.
    package static func wrap(
        _ text: String, first: String = "", rest: String = "", width: Int = width
    ) -> [String] {
        wrap(words: text.split(separator: " ").map(String.init), first: first, rest: rest, width: width)
    }

    /// Returns `words` in lines, like the other `wrap`. A word may contain spaces; it isn't broken.
    static func wrap(
        words: [String], first: String = "", rest: String = "", width: Int = width,
        columns: (String) -> Int = { $0.count }
    ) -> [String] {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in words {
            if !isEmpty, columns(line) + 1 + columns(word) > width {
                lines.append(line)
                line = rest
                isEmpty = true
            }
            line += isEmpty ? word : " \(word)"
            isEmpty = false
        }
        lines.append(line)
        return lines
    }

    /// A term and its explanation.
    typealias Item = (term: String, summary: String)

    /// Returns lists in two columns, aligned across all lists. The explanation of a long term begins on the
    /// next line.
    static func lists(_ lists: [[Item]], width: Int) -> [[String]] {
        let longest = lists.joined().map { $0.term.count }.filter { $0 <= min(22, width / 2 - 4) }.max() ?? 0
        return lists.map { list($0, longest: longest, width: width) }
    }

    private static func list(_ items: [Item], longest: Int, width: Int) -> [String] {
        let indent = String(repeating: " ", count: longest + 4)
        return items.flatMap { item -> [String] in
            let term = "  \(item.term)"
            guard item.term.count <= longest else {
                return [term] + wrap(item.summary, first: indent, rest: indent, width: width)
            }
            let padding = String(repeating: " ", count: indent.count - term.count)
            return wrap(item.summary, first: term + padding, rest: indent, width: width)
        }
    }
}

/// Words as a person types them into a shell.
package enum ShellWord {
    /// Returns the word, quoted if a POSIX shell would read it as something else (Shell Command Language,
    /// "Quoting").
    package static func quoted(_ word: String) -> String {
        let isPlain = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:,@%".utf8.contains(byte)
            }
        }
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        // Splits bytes, because a shell does: a quote and a combining mark are one character in Swift.
        let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
    }
}
