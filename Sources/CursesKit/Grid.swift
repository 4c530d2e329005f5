/// A screenful of cells, which a frame is drawn on and a terminal shows.
package struct Grid: Hashable, Sendable {
    /// What stands in a cell.
    package enum Cell: Hashable, Sendable {
        /// A character one column wide, with what combines with it.
        case narrow(String, Style)
        /// A character two columns wide; the next cell is `.covered`.
        case wide(String, Style)
        /// The right half of the wide character before it.
        case covered

        /// An empty cell.
        package static let blank = Cell.narrow(" ", .plain)
    }

    /// A place on the grid, from 0, 0 at the top left.
    package struct Place: Hashable, Sendable {
        /// From 0 at the top. May lie outside the grid, where what is written is cut off.
        package var row: Int
        /// From 0 at the left. May lie outside the grid, where what is written is cut off.
        package var column: Int

        /// A place, on a grid or outside.
        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// How many rows and columns it has, for good.
    package let size: TerminalSize
    /// Row by row.
    package private(set) var cells: [Cell]
    /// Where the cursor blinks; nil where it is hidden.
    package var cursor: Place?

    /// An empty grid.
    package init(_ size: TerminalSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.rows * size.columns)
    }

    /// The cell at a place, which is on the grid.
    package subscript(row: Int, column: Int) -> Cell {
        get { cells[row * size.columns + column] }
        set { cells[row * size.columns + column] = newValue }
    }

    /// Writes text from a place on, up to the row's end or up to `limit` columns; what lies outside the grid is cut
    /// off. A wide character that half fits leaves a blank.
    ///
    /// Returns how many columns it took.
    @discardableResult
    package mutating func write(
        _ text: some StringProtocol, at place: Place, _ style: Style = .plain, limit: Int = .max
    ) -> Int {
        guard (0..<size.rows).contains(place.row) else { return 0 }
        let end = limit < size.columns - place.column ? place.column + limit : size.columns
        var column = place.column
        var previous: Int?
        for scalar in text.unicodeScalars {
            let width = DisplayWidth.of(scalar)
            if width == 0 {
                if let previous, column <= end { combine(scalar, row: place.row, column: previous) }
                continue
            }
            guard column < end else { break }
            previous = nil
            if column >= 0, column + width <= end {
                free(row: place.row, column: column)
                if width == 2 { free(row: place.row, column: column + 1) }
                let text = String(scalar)
                self[place.row, column] = width == 2 ? .wide(text, style) : .narrow(text, style)
                if width == 2 { self[place.row, column + 1] = .covered }
                previous = column
            } else if column >= 0 {
                free(row: place.row, column: column)
                self[place.row, column] = .narrow(" ", style)
            }
            column += width
        }
        return max(0, min(column, end) - place.column)
    }

    /// Makes the other half of a wide character blank, before a half is overwritten.
    private mutating func free(row: Int, column: Int) {
        switch self[row, column] {
        case .narrow: break
        case .covered: if column > 0 { self[row, column - 1] = .blank }
        case .wide: if column + 1 < size.columns { self[row, column + 1] = .blank }
        }
    }

    private mutating func combine(_ scalar: Unicode.Scalar, row: Int, column: Int) {
        // Marks alone: joiners and variation selectors are shown by each terminal in its own way.
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: break
        default: return
        }
        if (0xFE00...0xFE0F).contains(scalar.value) { return }
        switch self[row, column] {
        case .narrow(let text, let style) where text.unicodeScalars.count < Grid.mostScalars:
            self[row, column] = .narrow(text + String(scalar), style)
        case .wide(let text, let style) where text.unicodeScalars.count < Grid.mostScalars:
            self[row, column] = .wide(text + String(scalar), style)
        default: break
        }
    }

    /// As many as ncurses keeps of a cell (CCHARW_MAX).
    private static let mostScalars = 5
}

/// How many rows and columns of cells there are; 0 or more.
package struct TerminalSize: Hashable, Sendable {
    /// How many lines of cells, from top to bottom.
    package let rows: Int
    /// How many cells a line has. A wide character takes two.
    package let columns: Int

    /// Less than nothing counts as nothing.
    package init(rows: Int, columns: Int) {
        self.rows = max(0, rows)
        self.columns = max(0, columns)
    }
}

/// How many columns of a terminal text takes.
package enum DisplayWidth {
    /// 0 for what combines with the character before it or doesn't show, 2 for what is wide in East Asian type and
    /// for emoji, else 1 (Unicode Standard Annex 11, as `wcwidth` goes by it).
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator,
            .surrogate:
            return 0
        default: break
        }
        // Vowels and finals of Hangul syllables written as parts.
        if (0x1160...0x11FF).contains(value) { return 0 }
        if wide.contains(where: { $0.contains(value) }) { return 2 }
        return scalar.properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains(value) ? 2 : 1
    }

    /// The columns of a whole text.
    package static func of(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + of($1) }
    }

    /// As much of the text as fits into so many columns.
    package static func cut(_ text: String, to columns: Int) -> String {
        var left = columns
        return String(
            text.prefix { character in
                left -= of(String(character))
                return left >= 0
            })
    }

    /// The blocks of characters that take two columns, emoji apart.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
        0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
