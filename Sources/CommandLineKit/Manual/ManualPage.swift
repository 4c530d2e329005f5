/// A page of the manual, as `man` shows it. Prose is written as values of this type; the description of
/// commands is made from the program's table (`Program.manual`).
package struct ManualPage: Sendable {
    /// A section of a page.
    package struct Section: Sendable {
        /// The title, written as in a sentence. The page shows it in capitals.
        package let title: String
        /// The content, from top to bottom.
        package let blocks: [Block]

        /// A section with this title.
        package init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// An element of a section. In texts and terms, backquotes mark `typed words` and asterisks mark
    /// *placeholders*.
    package enum Block: Sendable {
        case text(String)
        /// Terms with their explanations.
        case entries([Entry])
        /// Lines as they are typed or printed.
        case lines([String])
        /// A title within the section.
        case title(String)
    }

    /// A term and its explanation.
    package struct Entry: Sendable {
        /// The term, with the same marks as texts.
        package let term: String
        /// The explanation, from top to bottom.
        package let blocks: [Block]

        /// A term with an explanation of several blocks.
        package init(_ term: String, _ blocks: [Block]) {
            self.term = term
            self.blocks = blocks
        }

        /// A term with an explanation of one paragraph.
        package init(_ term: String, _ text: String) { self.init(term, [.text(text)]) }
    }

    /// The page's name, such as `focus-hooks`.
    package let name: String
    /// The page's section of the manual: 1 for commands, 5 for files, 7 for background, 8 for administration.
    package let number: Int
    /// The page's subject, read after its name: no capital, no full stop.
    package let summary: String
    /// The sections after the one with the page's name, from top to bottom.
    package let sections: [Section]

    /// A page with this name and number, as in `focus-hooks`(7).
    package init(_ name: String, _ number: Int, _ summary: String, _ sections: [Section]) {
        self.name = name
        self.number = number
        self.summary = summary
        self.sections = sections
    }

    /// The name of the page's file, such as `focus.1`.
    package var fileName: String { "\(name).\(number)" }
}

/// A release of the programs, and its date.
package struct Release: Hashable, Sendable {
    /// The name and version, such as `Lockstep 0.1.0`.
    package let name: String
    /// The date, such as `2025-11-20`.
    package let date: String

    /// A release, which manual pages name at their foot.
    package init(name: String, date: String) {
        self.name = name
        self.date = date
    }
}

extension ManualPage {
    /// Returns the page in the man(7) language, for `man` and `mandoc`.
    package func roff(_ release: Release) -> String {
        var lines = [
            ".TH \(Roff.quoted(name.uppercased())) \(number) \(release.date) \(Roff.quoted(release.name))",
            ".SH NAME", "\(Roff.text(name)) \\- \(Roff.text(summary))",
        ]
        for section in sections {
            lines.append(".SH \(Roff.quoted(section.title.uppercased()))")
            lines += Roff.lines(of: section.blocks, isFirst: true)
        }
        return lines.map { "\($0)\n" }.joined()
    }
}

/// The language of manual pages.
private enum Roff {
    /// Returns the source lines of `blocks`.
    ///
    /// - Parameter isFirst: Whether the macro above has already begun a paragraph.
    static func lines(of blocks: [ManualPage.Block], isFirst: Bool) -> [String] {
        var isFirst = isFirst
        var lines: [String] = []
        for block in blocks {
            let begin = isFirst ? [] : [".PP"]
            isFirst = false
            switch block {
            case .text(let text): lines += begin + sentences(text)
            case .title(let title):
                lines.append(".SS \(quoted(title))")
                isFirst = true
            case .lines(let typed): lines += begin + [".RS 4", ".nf"] + typed.map(line) + [".fi", ".RE"]
            case .entries(let entries): lines += entries.flatMap(entry)
            }
        }
        return lines
    }

    private static func entry(_ entry: ManualPage.Entry) -> [String] {
        var lines = [".TP", line(entry.term)]
        for (index, block) in entry.blocks.enumerated() {
            switch block {
            case .text(let text): lines += (index == 0 ? [] : [".IP"]) + sentences(text)
            case .entries, .lines, .title: lines += [".RS"] + Roff.lines(of: [block], isFirst: true) + [".RE"]
            }
        }
        return lines
    }

    /// Returns the text in source lines of at most 76 columns. The formatter wraps them again.
    private static func sentences(_ text: String) -> [String] {
        TextLayout.wrap(Roff.text(text), width: 76).map(protected)
    }

    private static func line(_ text: String) -> String { protected(Roff.text(text)) }

    /// Protects a first dot or quote, which would turn the line into a macro.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
    }

    /// Returns the text as a macro's argument.
    static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Returns text with its fonts: bold between backquotes, italics between asterisks. A mark without a
    /// partner is literal.
    static func text(_ text: String) -> String {
        var roff = ""
        var font: Character?
        var rest = text[...]
        while let next = rest.popFirst() {
            if next == font {
                roff += "\\fR"
                font = nil
            } else if font == nil, next == "`" || next == "*", rest.contains(next) {
                roff += next == "`" ? "\\fB" : "\\fI"
                font = next
            } else {
                roff += escaped(String(next))
            }
        }
        return roff
    }

    /// Escapes the characters that would look different on some output devices.
    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "\"": "\\(dq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            default: String(character)
            }
        }.joined()
    }
}
