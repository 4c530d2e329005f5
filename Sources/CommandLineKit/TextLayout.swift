/// Lays text out in lines. A word that is longer than a line stays whole.
package enum TextLayout {
    /// The width that help is laid out to: what every terminal has.
    package static let width = 80

    /// What is written to be read after a name, as a sentence: with a capital and a full stop.
    package static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// The words of `text` in lines of so many columns; the first begins with `first`, the others with `rest`.
    package static func wrap(
        _ text: String, first: String = "", rest: String = "", width: Int = width
    ) -> [String] {
        wrap(words: text.split(separator: " ").map(String.init), first: first, rest: rest, width: width)
    }

    /// The same for words that may hold spaces, which stay together.
    static func wrap(words: [String], first: String = "", rest: String = "", width: Int = width) -> [String] {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in words {
            if !isEmpty, line.count + 1 + word.count > width {
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
    static func lists(_ lists: [[Item]]) -> [[String]] {
        let longest = lists.joined().map(\.term.count).filter { $0 <= 22 }.max() ?? 0
        return lists.map { list($0, longest: longest) }
    }

    private static func list(_ items: [Item], longest: Int) -> [String] {
        let indent = String(repeating: " ", count: longest + 4)
        return items.flatMap { item -> [String] in
            let term = "  \(item.term)"
            guard item.term.count <= longest else {
                return [term] + wrap(item.summary, first: indent, rest: indent)
            }
            let padding = String(repeating: " ", count: indent.count - term.count)
            return wrap(item.summary, first: term + padding, rest: indent)
        }
    }
}
