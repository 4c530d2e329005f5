/// A screen of cells, on which a frame is drawn and which a terminal shows.
package struct Grid: Hashable, Sendable {
    /// The content of a cell.
    package enum Cell: Hashable, Sendable {
        /// A character one column wide, with its combining marks.
        case narrow(String, Style)
        /// A character two columns wide; the next cell is `.covered`.
        case wide(String, Style)
        /// The right half of the wide character before it.
        case covered

        /// An empty cell.
        package static let blank = Cell.narrow(" ", .plain)
    }

    /// A position on the grid, from 0, 0 at the top left.
    package struct Place: Hashable, Sendable {
        /// From 0 at the top. It may be outside the grid; text there is cut off.
        package var row: Int
        /// From 0 at the left. It may be outside the grid; text there is cut off.
        package var column: Int

        /// A position, on the grid or outside.
        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// The number of rows and columns; it never changes.
    package let size: TerminalSize
    /// The cells, row by row.
    package private(set) var cells: [Cell]
    /// The position of the blinking cursor; nil if it is hidden.
    package var cursor: Place?

    /// An empty grid.
    package init(_ size: TerminalSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.rows * size.columns)
    }

    /// The cell at a position, which must be on the grid.
    package subscript(row: Int, column: Int) -> Cell {
        get { cells[row * size.columns + column] }
        set { cells[row * size.columns + column] = newValue }
    }

    /// Writes text, up to the row's end or up to `limit` columns. Text outside the grid is cut off. A wide
    /// character with room for only half of it becomes a blank.
    ///
    /// - Returns: The number of columns that the text takes.
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
                if let previous { combine(scalar, row: place.row, column: previous) }
                continue
            }
            guard column < end else { break }
            previous = nil
            if column >= 0, column + width <= end {
                blankOtherHalf(row: place.row, column: column)
                if width == 2 { blankOtherHalf(row: place.row, column: column + 1) }
                let text = String(scalar)
                self[place.row, column] = width == 2 ? .wide(text, style) : .narrow(text, style)
                if width == 2 { self[place.row, column + 1] = .covered }
                previous = column
            } else if column >= 0 {
                blankOtherHalf(row: place.row, column: column)
                self[place.row, column] = .narrow(" ", style)
            }
            column += width
        }
        return max(0, min(column, end) - place.column)
    }

    /// Makes the other half of a wide character blank, before the half at this position is overwritten.
    private mutating func blankOtherHalf(row: Int, column: Int) {
        switch self[row, column] {
        case .narrow: break
        case .covered: if column > 0 { self[row, column - 1] = .blank }
        case .wide: if column + 1 < size.columns { self[row, column + 1] = .blank }
        }
    }

    /// Adds a combining mark to the character in a cell.
    private mutating func combine(_ scalar: Unicode.Scalar, row: Int, column: Int) {
        // Only marks are added: terminals differ in how they show joiners and variation selectors.
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

    /// The maximum number of scalars in a cell, by ncurses's limit (CCHARW_MAX).
    private static let mostScalars = 5
}

/// The number of rows and columns of a terminal; each 0 or more.
package struct TerminalSize: Hashable, Sendable {
    /// The number of rows.
    package let rows: Int
    /// The number of cells in a row. A wide character takes two.
    package let columns: Int

    /// A size; negative numbers become 0.
    package init(rows: Int, columns: Int) {
        self.rows = max(0, rows)
        self.columns = max(0, columns)
    }
}

/// The number of terminal columns that text takes.
package enum DisplayWidth {
    /// Returns 0 for a combining or invisible character, 2 for a wide East Asian character or an emoji, else
    /// 1 (Unicode Standard Annex 11, which `wcwidth` follows).
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator,
            .surrogate:
            return 0
        default: break
        }
        // The vowels and final consonants of Hangul syllables that are written as parts.
        if (0x1160...0x11FF).contains(value) { return 0 }
        if wide.contains(where: { $0.contains(value) }) { return 2 }
        return scalar.properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains(value) ? 2 : 1
    }

    /// Returns the number of columns of a whole text.
    package static func of(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + of($1) }
    }

    /// Returns the longest beginning of `text` that fits into `columns`.
    package static func cut(_ text: String, to columns: Int) -> String {
        var left = columns
        return String(
            text.prefix { character in
                left -= of(String(character))
                return left >= 0
            })
    }

    /// The blocks of wide characters, without emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
        0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
