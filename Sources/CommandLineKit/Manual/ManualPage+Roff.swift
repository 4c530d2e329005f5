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
