import CursesKit

/// Text in lines that fit into so many columns.
enum Paragraph {
    /// The words of `text`, line by line. A word that is too long for a line, as one in a script without spaces may
    /// be, goes on in the next.
    static func lines(_ text: String, columns: Int) -> [String] {
        let columns = max(2, columns)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let joined = line.isEmpty ? String(word) : "\(line) \(word)"
            if DisplayWidth.of(joined) <= columns {
                line = joined
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = String(word)
            while DisplayWidth.of(line) > columns {
                let part = DisplayWidth.cut(line, to: columns)
                // What no line can hold is cut by the canvas.
                guard !part.isEmpty else { break }
                lines.append(part)
                line = String(line.dropFirst(part.count))
            }
        }
        return lines + [line]
    }
}
