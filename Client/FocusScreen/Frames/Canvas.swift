import CursesKit

/// A grid to draw a frame on, in characters that the terminal can show.
struct Canvas {
    private(set) var grid: Grid
    let capabilities: Capabilities
    let palette: Palette
    let glyphs: Glyphs

    init(_ size: TerminalSize, _ capabilities: Capabilities) {
        grid = Grid(size)
        self.capabilities = capabilities
        palette = Palette(colours: capabilities.colours)
        glyphs = capabilities.isUnicode ? .unicode : .ascii
    }

    var size: TerminalSize { grid.size }

    /// Writes text from a place on; gives the column after it. What doesn't fit into `limit` columns, or into the row,
    /// is cut.
    @discardableResult
    mutating func write(
        _ text: String, _ row: Int, _ column: Int, _ style: Style = .plain, limit: Int = .max
    ) -> Int {
        column
            + grid.write(shown(text), at: Grid.Place(row: row, column: column), style, limit: max(0, limit))
    }

    /// Writes text, with an ellipsis where not all of it fits into so many columns.
    @discardableResult
    mutating func writeCut(
        _ text: String, _ row: Int, _ column: Int, _ style: Style = .plain, limit: Int
    ) -> Int {
        let limit = min(limit, size.columns - column)
        let text = shown(text)
        guard DisplayWidth.of(text) > limit else { return write(text, row, column, style) }
        return write(DisplayWidth.cut(text, to: limit - 1) + shown("…"), row, column, style, limit: limit)
    }

    /// Writes text in the middle of a row.
    mutating func writeCentred(_ text: String, _ row: Int, _ style: Style = .plain) {
        let width = min(DisplayWidth.of(shown(text)), size.columns)
        writeCut(text, row, (size.columns - width) / 2, style, limit: size.columns)
    }

    /// Makes a row empty, in a style.
    mutating func clear(_ row: Int, _ style: Style = .plain) {
        write(String(repeating: " ", count: size.columns), row, 0, style)
    }

    /// Shows the cursor there.
    mutating func setCursor(_ row: Int, _ column: Int) {
        guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return }
        grid.cursor = Grid.Place(row: row, column: column)
    }

    /// The text in characters that the terminal has.
    private func shown(_ text: String) -> String {
        if capabilities.isUnicode { return text }
        var ascii = ""
        for character in text {
            if let value = character.asciiValue, value >= 0x20 {
                ascii.append(character)
            } else {
                // As wide as what it stands for.
                ascii +=
                    Canvas.replacements[character]
                    ?? String(repeating: "?", count: DisplayWidth.of(String(character)))
            }
        }
        return ascii
    }

    /// What stands for the view's own signs where there is nothing but ASCII.
    private static let replacements: [Character: String] = [
        "…": "~", "–": "-", "·": "|", "●": "*", "◉": "o", "○": ".", "█": "#", "━": "=", "─": "-", "›": ">",
        "✓": "+", "»": ">", "×": "x", "←": "<", "→": ">",
    ]
}

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

/// A list in its window, with a sign where there is more of it.
struct ListFrame<Rows: ListRows> {
    let place: ListPlace<Rows.ID>
    let rows: Rows
    /// The window's first row on the screen, and how many there are.
    let top: Int
    let height: Int

    /// Draws the rows that are in the window.
    ///
    /// - Parameter drawRow: draws a row: its index, its row on the screen, and its style, which shows what is selected.
    func draw(on canvas: inout Canvas, _ drawRow: (inout Canvas, Int, Int, Style) -> Void) {
        let window = place.window(on: rows, height: height)
        for (line, index) in window.rows.enumerated() {
            let isSelected = index == window.selected
            let style = Style(reversed: isSelected)
            if isSelected { canvas.clear(top + line, style) }
            drawRow(&canvas, index, top + line, style)
        }
        let last = canvas.size.columns - 1
        if window.rows.lowerBound > 0 { canvas.write("^", top, last, Style(bold: true)) }
        if window.rows.upperBound < rows.count {
            canvas.write("v", top + height - 1, last, Style(bold: true))
        }
    }
}
