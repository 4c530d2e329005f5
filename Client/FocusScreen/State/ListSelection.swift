/// A person's place in a list: the selected row, and its line in the window. So rows that are added at the
/// top of the list don't move the rows on the screen.
package struct ListSelection<ID: Hashable & Sendable>: Hashable, Sendable {
    /// The id of the selected row; nil for the first row that can be selected.
    package private(set) var selected: ID?
    /// The line of the selected row in the window, from 0.
    package private(set) var line: Int

    /// A place in a list; without arguments, the top.
    package init(_ selected: ID? = nil, line: Int = 0) {
        self.selected = selected
        self.line = line
    }

    /// The visible part of a list.
    package struct Window: Hashable, Sendable {
        /// The visible rows, as indexes of the list.
        package let rows: Range<Int>
        /// The index of the selected row; nil if no row can be selected.
        package let selected: Int?

        /// A visible part of a list.
        package init(rows: Range<Int>, selected: Int?) {
            self.rows = rows
            self.selected = selected
        }
    }

    /// Returns the part of the list that a window of `height` lines shows.
    package func window(on rows: some ListRows<ID>, height: Int) -> Window {
        let first = rows.choiceCount > 0 ? rows.index(ofChoice: 0) : nil
        let chosen = selected.flatMap { rows.choice(of: $0) }.map { rows.index(ofChoice: $0) } ?? first
        // Headings above the first row that can be selected are shown with it.
        let line = selected == nil ? chosen ?? 0 : line
        let top = max(0, min((chosen ?? 0) - min(line, max(0, height - 1)), rows.count - height))
        return Window(rows: top..<min(rows.count, top + max(0, height)), selected: chosen)
    }

    /// Moves the selection down by `count` selectable rows, or up if `count` is negative.
    package mutating func move(by count: Int, on rows: some ListRows<ID>, height: Int) {
        guard rows.choiceCount > 0 else { return }
        let top = window(on: rows, height: height).rows.lowerBound
        let place = selected.flatMap { rows.choice(of: $0) } ?? 0
        let next = max(0, min(place.addingReportingOverflow(count).partialValue, rows.choiceCount - 1))
        let row = rows.index(ofChoice: next)
        // For a row at the top, the heading above it is shown too.
        let highest = row > 0 && rows.id(at: row - 1) == nil && height > 1 ? row - 1 : row
        let newTop = min(max(top, row - max(0, height - 1)), highest)
        self = next == 0 ? ListSelection() : ListSelection(rows.id(at: row), line: row - newTop)
    }
}

// A short list, given by its rows' ids; nil for a heading.
extension ListSelection {
    /// Returns the part of the list that a window of `height` lines shows.
    ///
    /// Cost: linear in the rows.
    package func window(on rows: [ID?], height: Int) -> Window {
        window(on: RowIDs(rows), height: height)
    }

    /// Moves the selection down by `count` selectable rows, or up if `count` is negative.
    package mutating func move(by count: Int, on rows: [ID?], height: Int) {
        move(by: count, on: RowIDs(rows), height: height)
    }
}
