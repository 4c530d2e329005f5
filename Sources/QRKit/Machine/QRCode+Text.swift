extension QRCode {
    /// The code as lines of text, with a margin. A character has two modules, one above the other. Light modules
    /// are drawn, because a terminal's background is usually dark.
    package var text: String {
        let margin = 2
        let side = rows.count
        func isLight(_ row: Int, _ column: Int) -> Bool {
            guard rows.indices.contains(row), rows.indices.contains(column) else {
                return row < side + margin
            }
            return !rows[row][column]
        }
        return stride(from: -margin, to: side + margin, by: 2).map { row in
            (-margin..<side + margin).map { column in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined() + "\n"
        }.joined()
    }
}
