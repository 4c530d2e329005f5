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

    /// What is shown of the rows, of which those with an id can be selected, in a window of `height` lines.
    ///
    /// Cost: linear in the rows.
    package func window(on rows: [ID?], height: Int) -> Window {
        let first = rows.firstIndex { $0 != nil }
        let chosen = selected.flatMap { selected in rows.firstIndex { $0 == selected } } ?? first
        // Headings above the first row belong to it.
        let line = selected == nil ? chosen ?? 0 : line
        let top = max(0, min((chosen ?? 0) - min(line, max(0, height - 1)), rows.count - height))
        return Window(rows: top..<min(rows.count, top + max(0, height)), selected: chosen)
    }

    /// Selects the row so many selectable rows further down, or up where that is negative.
    package mutating func move(by count: Int, on rows: [ID?], height: Int) {
        let window = window(on: rows, height: height)
        let choices = rows.indices.filter { rows[$0] != nil }
        guard let present = window.selected, let place = choices.firstIndex(of: present) else { return }
        let next = max(0, min(place.addingReportingOverflow(count).partialValue, choices.count - 1))
        let row = choices[next]
        // A row at the top takes the heading above it along.
        let highest = row > 0 && rows[row - 1] == nil && height > 1 ? row - 1 : row
        let top = min(max(window.rows.lowerBound, row - max(0, height - 1)), highest)
        self = next == 0 ? ListPlace() : ListPlace(rows[row], line: row - top)
    }
}
