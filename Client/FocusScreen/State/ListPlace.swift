/// Where a person is in a list: what is selected, and on which line of the window it stands. So the list may grow at
/// its head without moving what is looked at.
package struct ListPlace<ID: Hashable & Sendable>: Hashable, Sendable {
    /// Nil is the first row that can be selected, whichever that is.
    package private(set) var selected: ID?
    /// The line of the window that the selected row stands on, from 0.
    package private(set) var line: Int

    /// A place in a list; at its head where nothing is said.
    package init(_ selected: ID? = nil, line: Int = 0) {
        self.selected = selected
        self.line = line
    }

    /// What of a list is in its window.
    package struct Window: Hashable, Sendable {
        /// The rows that are shown, as indexes of the list.
        package let rows: Range<Int>
        /// The index of the selected row; nil where none can be selected.
        package let selected: Int?

        /// A part of a list.
        package init(rows: Range<Int>, selected: Int?) {
            self.rows = rows
            self.selected = selected
        }
    }

    /// What is shown of the rows in a window of `height` lines.
    package func window(on rows: some ListRows<ID>, height: Int) -> Window {
        let first = rows.choiceCount > 0 ? rows.index(ofChoice: 0) : nil
        let chosen = selected.flatMap { rows.choice(of: $0) }.map { rows.index(ofChoice: $0) } ?? first
        // Headings above the first row belong to it.
        let line = selected == nil ? chosen ?? 0 : line
        let top = max(0, min((chosen ?? 0) - min(line, max(0, height - 1)), rows.count - height))
        return Window(rows: top..<min(rows.count, top + max(0, height)), selected: chosen)
    }

    /// Selects the row so many selectable rows further down, or up where that is negative.
    package mutating func move(by count: Int, on rows: some ListRows<ID>, height: Int) {
        guard rows.choiceCount > 0 else { return }
        let top = window(on: rows, height: height).rows.lowerBound
        let place = selected.flatMap { rows.choice(of: $0) } ?? 0
        let next = max(0, min(place.addingReportingOverflow(count).partialValue, rows.choiceCount - 1))
        let row = rows.index(ofChoice: next)
        // A row at the top takes the heading above it along.
        let highest = row > 0 && rows.id(at: row - 1) == nil && height > 1 ? row - 1 : row
        let newTop = min(max(top, row - max(0, height - 1)), highest)
        self = next == 0 ? ListPlace() : ListPlace(rows.id(at: row), line: row - newTop)
    }
}

// Of a short list, by its rows' ids; nil for a heading.
extension ListPlace {
    /// What is shown of the rows in a window of `height` lines.
    ///
    /// Cost: linear in the rows.
    package func window(on rows: [ID?], height: Int) -> Window {
        window(on: RowIDs(rows), height: height)
    }

    /// Selects the row so many selectable rows further down, or up where that is negative.
    package mutating func move(by count: Int, on rows: [ID?], height: Int) {
        move(by: count, on: RowIDs(rows), height: height)
    }
}
