import CursesKit
import FocusDevice

/// A grid on which a frame is drawn, limited to characters that the terminal can show. Columns are counted
/// from the left margin.
struct Canvas {
    private(set) var grid: Grid
    let capabilities: Capabilities
    let palette: Palette
    let glyphs: Glyphs
    /// The number of blank columns at each side.
    private let margin: Int

    /// The minimum number of columns for a margin.
    private static let roomForMargin = 100

    init(_ size: TerminalSize, _ capabilities: Capabilities, _ appearance: Appearance = Appearance()) {
        grid = Grid(size)
        margin = size.columns < Canvas.roomForMargin ? 0 : min(8, size.columns / 30)
        self.capabilities = capabilities
        palette = Palette(colours: capabilities.colours, appearance: appearance)
        glyphs = capabilities.isUnicode ? .unicode : .ascii
    }

    /// The size without the margins.
    var size: TerminalSize {
        TerminalSize(rows: grid.size.rows, columns: grid.size.columns - 2 * margin)
    }

    /// Writes text and returns the column after it. Text beyond `limit` columns or the margin is cut off.
    @discardableResult
    mutating func write(
        _ text: String, _ row: Int, _ column: Int, _ style: Style = .plain, limit: Int = .max
    ) -> Int {
        column
            + grid.write(
                displayable(text), at: Grid.Place(row: row, column: column + margin), style,
                limit: max(0, min(limit, size.columns - column)))
    }

    /// Writes text, and ends it with an ellipsis if it doesn't fit into `limit` columns.
    @discardableResult
    mutating func writeCut(
        _ text: String, _ row: Int, _ column: Int, _ style: Style = .plain, limit: Int
    ) -> Int {
        let limit = min(limit, size.columns - column)
        let text = displayable(text)
        guard DisplayWidth.of(text) > limit else { return write(text, row, column, style) }
        return write(
            DisplayWidth.cut(text, to: limit - 1) + displayable("…"), row, column, style, limit: limit)
    }

    /// Writes text in the middle of a row, with at least `margin` free columns at each side.
    mutating func writeCentred(_ text: String, _ row: Int, _ style: Style = .plain, margin: Int = 0) {
        let room = max(0, size.columns - 2 * margin)
        let width = min(DisplayWidth.of(displayable(text)), room)
        writeCut(text, row, (size.columns - width) / 2, style, limit: room)
    }

    /// Fills a row with blanks in a style.
    mutating func clear(_ row: Int, _ style: Style = .plain) {
        write(String(repeating: " ", count: size.columns), row, 0, style)
    }

    /// Shows the cursor at a position; ignores a position outside the grid.
    mutating func setCursor(_ row: Int, _ column: Int) {
        guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return }
        grid.cursor = Grid.Place(row: row, column: column + margin)
    }

    /// Returns the text in characters that the terminal can show.
    private func displayable(_ text: String) -> String {
        if capabilities.isUnicode { return text }
        var ascii = ""
        for character in text {
            if let value = character.asciiValue, value >= 0x20 {
                ascii.append(character)
            } else {
                // The replacement has the width of the character.
                ascii +=
                    Canvas.replacements[character]
                    ?? String(repeating: "?", count: DisplayWidth.of(String(character)))
            }
        }
        return ascii
    }

    /// The ASCII replacements of the view's own signs.
    private static let replacements: [Character: String] = [
        "…": "~", "–": "-", "·": "|", "●": "*", "◉": "o", "○": ".", "█": "#", "━": "=", "─": "-", "›": ">",
        "✓": "+", "»": ">", "×": "x", "←": "<", "→": ">",
        "▆": "#", "▂": "=", "┴": "+", "▲": "^", "╸": "-",
    ]
}

/// Text in lines of limited width.
enum Paragraph {
    /// Returns the words of `text` in lines of `columns` columns. A word that is too long for a line is
    /// broken.
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
                // A character wider than a line is cut by the canvas.
                guard !part.isEmpty else { break }
                lines.append(part)
                line = String(line.dropFirst(part.count))
            }
        }
        return lines + [line]
    }
}

/// The visible part of a list. A `^` at its top or a `v` at its bottom shows that there are more rows.
struct ListFrame<Rows: ListRows> {
    /// The selection, which decides which rows are visible.
    let selection: ListSelection<Rows.ID>
    let rows: Rows
    /// The screen's row for the first visible row.
    let top: Int
    /// The number of visible rows.
    let height: Int

    /// Draws the rows in the window.
    ///
    /// - Parameter drawRow: Draws a row. It gets the row's index, its row on the screen, and its style, which
    ///   shows the selection.
    func draw(on canvas: inout Canvas, _ drawRow: (inout Canvas, Int, Int, Style) -> Void) {
        let window = selection.window(on: rows, height: height)
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
