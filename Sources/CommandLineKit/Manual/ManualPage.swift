/// A page of the manual: what `man` shows. Prose is written as values like these, and what a program's table knows
/// comes from there (`Program.manual`).
package struct ManualPage: Sendable {
    /// A part of a page, under a title.
    package struct Section: Sendable {
        /// What stands above it, written as in a sentence: the page has it in capitals.
        package let title: String
        /// What it says, from top to bottom.
        package let blocks: [Block]

        /// A part of a page under this title.
        package init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// What a section is made of. In texts and terms, `what is typed` stands between backquotes and *what stands for
    /// something else* between asterisks.
    package enum Block: Sendable {
        case text(String)
        /// Terms, and what each of them is.
        case entries([Entry])
        /// Lines as they are typed or printed.
        case lines([String])
        /// A title within the section.
        case title(String)
    }

    /// A term and what it is.
    package struct Entry: Sendable {
        /// What is explained, with marks as texts have them.
        package let term: String
        /// What it is, from top to bottom.
        package let blocks: [Block]

        /// A term that takes more than one paragraph to explain.
        package init(_ term: String, _ blocks: [Block]) {
            self.term = term
            self.blocks = blocks
        }

        /// A term that one paragraph explains.
        package init(_ term: String, _ text: String) { self.init(term, [.text(text)]) }
    }

    /// What it is called by, as `focus-hooks`.
    package let name: String
    /// Its section of the manual: 1 for commands, 5 for files, 7 for what surrounds them, 8 for administration.
    package let number: Int
    /// What it is about, to be read after its name: no capital, no full stop.
    package let summary: String
    /// What it says, from top to bottom, after the section with its name.
    package let sections: [Section]

    /// A page of the manual, by its name and number, as in `focus-hooks`(7).
    package init(_ name: String, _ number: Int, _ summary: String, _ sections: [Section]) {
        self.name = name
        self.number = number
        self.summary = summary
        self.sections = sections
    }

    /// What its file is called: `focus.1`.
    package var fileName: String { "\(name).\(number)" }
}

/// What programs belong to, and when it was made.
package struct Release: Hashable, Sendable {
    /// The name and version, as `Lockstep 0.1.0`.
    package let name: String
    /// As `2025-11-20`.
    package let date: String

    /// A release of the programs that pages of the manual name at their foot.
    package init(name: String, date: String) {
        self.name = name
        self.date = date
    }
}

extension ManualPage {
    /// The page as man(7) has it, for `man` and `mandoc`.
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
    /// - Parameter isFirst: Whether a macro above has begun the paragraph already.
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

    /// The text in lines of the source, each short enough for any editor. The formatter fills them anew.
    private static func sentences(_ text: String) -> [String] {
        TextLayout.wrap(Roff.text(text), width: 76).map(protected)
    }

    private static func line(_ text: String) -> String { protected(Roff.text(text)) }

    /// A dot or quote that begins a line would make a macro of it.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
    }

    /// An argument of a macro.
    static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Text with its fonts: bold between backquotes, italics between asterisks. One that has no other stands for itself.
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

    /// What stands for itself in the formatter's output, in any of its devices.
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
