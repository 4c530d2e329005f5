import SystemKit

/// Text on its way to a terminal or a log.
///
/// Labels, names and what a server says come from other machines, and are kept as they came. What in them would
/// garble the text around them is replaced here by U+FFFD, which shows that something stood there and takes as much
/// room. So whatever is printed comes through one of these.
package enum TerminalText {
    /// Data for standard output, without C1 control characters, bidirectional embeddings, overrides and isolates
    /// (UAX #9), line ends that not all programs count as such, and bytes of paths that aren't UTF-8. Other control characters are left: colours are
    /// made of them, and replay drops them from labels and names.
    ///
    /// Cost: linear in the text's length; what can hold none of these is returned as it is.
    package static func data(_ text: String) -> String {
        // In UTF-8 all of them begin with one of three bytes.
        guard text.utf8.contains(where: { $0 == 0xC2 || $0 == 0xE2 || $0 == 0xF4 }) else { return text }
        return replacing(isGarbling, in: text)
    }

    /// A message for standard error or a log: the same, without any control character but tabs and newlines.
    ///
    /// Cost: linear in the text's length.
    package static func message(_ text: String) -> String {
        replacing(
            { isGarbling($0) || ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || $0 == "\u{7F}" }, in: text)
    }

    /// What another machine says, for within a line: as a message, with a space in place of each newline and tab.
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
        default: SystemText.isByte(scalar)
        }
    }

    private static func replacing(_ isUnwanted: (Unicode.Scalar) -> Bool, in text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnwanted) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar) }
        return String(shown)
    }
}

/// Lays text out in lines. A word that is longer than a line stays whole.
package enum TextLayout {
    /// The width that help is laid out to: what most terminals have at least.
    package static let width = 80

    /// What is written to be read after a name, as a sentence: with a capital and a full stop.
    package static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// A message for a terminal: lines that are wider than it are broken between words. A line that begins with a space
    /// is to be copied, and stays whole.
    ///
    /// - Parameters:
    ///   - width: the terminal's columns; nil leaves all lines whole.
    ///   - columns: how many columns a text takes.
    package static func message(
        _ text: String, width: Int?, columns: (String) -> Int = \.count
    ) -> String {
        guard let width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard columns(String(line)) > width, line.first != " " else { return String(line) }
            // What is typed behind a question has a space before it.
            let end = line.last == " " ? " " : ""
            let words = line.split(separator: " ").map(String.init)
            return wrap(words: words, width: width - end.count, columns: columns).joined(separator: "\n")
                + end
        }.joined(separator: "\n")
    }

    /// The words of `text` in lines of so many columns; the first begins with `first`, the others with `rest`.
    package static func wrap(
        _ text: String, first: String = "", rest: String = "", width: Int = width
    ) -> [String] {
        wrap(words: text.split(separator: " ").map(String.init), first: first, rest: rest, width: width)
    }

    /// The same for words that may hold spaces, which stay together.
    static func wrap(
        words: [String], first: String = "", rest: String = "", width: Int = width,
        columns: (String) -> Int = \.count
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

    /// A term and what it is.
    typealias Item = (term: String, summary: String)

    /// Lists under one another, each in two columns, which begin at the same place in all of them. What a long
    /// term is begins on the next line.
    static func lists(_ lists: [[Item]], width: Int) -> [[String]] {
        let longest = lists.joined().map(\.term.count).filter { $0 <= min(22, width / 2 - 4) }.max() ?? 0
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
    /// The word as it is, or quoted where a POSIX shell would take it for something else (Shell Command Language,
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
        // A shell goes by bytes: a quote is one although a mark behind it makes another character of the two.
        let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
    }
}
