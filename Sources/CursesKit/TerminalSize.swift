/// How many rows and columns of cells there are; 0 or more.
package struct TerminalSize: Hashable, Sendable {
    package let rows: Int
    package let columns: Int

    /// Less than nothing counts as nothing.
    package init(rows: Int, columns: Int) {
        self.rows = max(0, rows)
        self.columns = max(0, columns)
    }
}
