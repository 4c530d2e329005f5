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
