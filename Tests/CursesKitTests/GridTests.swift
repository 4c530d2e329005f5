import CursesKit
import Testing

@Suite("A screenful of cells")
struct GridTests {
    private func text(_ grid: Grid) -> [String] {
        (0..<grid.size.rows).map { row in
            (0..<grid.size.columns).map { column in
                switch grid[row, column] {
                case .narrow(let text, _), .wide(let text, _): text
                case .covered: ""
                }
            }.joined()
        }
    }

    @Test("text is cut off at the edges, and outside nothing is written")
    func edges() {
        var grid = Grid(TerminalSize(rows: 2, columns: 5))
        #expect(grid.write("abcdefg", at: .init(row: 0, column: 2)) == 3)
        #expect(grid.write("xyz", at: .init(row: 1, column: -1)) == 3)
        #expect(grid.write("no", at: .init(row: 2, column: 0)) == 0)
        #expect(grid.write("no", at: .init(row: -1, column: 0)) == 0)
        #expect(grid.write("no", at: .init(row: 0, column: 9)) == 0)
        #expect(text(grid) == ["  abc", "yz   "])
        grid.write("12345", at: .init(row: 1, column: 0), limit: 3)
        #expect(text(grid) == ["  abc", "123  "])
    }

    @Test("a wide character takes two columns, and goes as a whole")
    func wide() {
        var grid = Grid(TerminalSize(rows: 1, columns: 5))
        #expect(grid.write("日本語", at: .init(row: 0, column: 0)) == 5)
        #expect(text(grid) == ["日本 "], "the third doesn't fit")
        #expect(grid[0, 1] == .covered)
        grid.write("x", at: .init(row: 0, column: 1))
        #expect(text(grid) == [" x本 "])
        grid.write("y", at: .init(row: 0, column: 2))
        #expect(text(grid) == [" xy  "])
    }

    @Test("marks combine with the character before them; joiners are dropped")
    func marks() {
        var grid = Grid(TerminalSize(rows: 1, columns: 6))
        grid.write("e\u{301}a\u{FE0F}👩\u{200D}💻", at: .init(row: 0, column: 0))
        #expect(grid[0, 0] == .narrow("e\u{301}", .plain))
        #expect(grid[0, 1] == .narrow("a", .plain))
        #expect(grid[0, 2] == .wide("👩", .plain))
        #expect(grid[0, 4] == .wide("💻", .plain))
        grid.write("\u{301}z" + String(repeating: "\u{301}", count: 9), at: .init(row: 0, column: 0))
        #expect(grid[0, 0] == .narrow("z\u{301}\u{301}\u{301}\u{301}", .plain))
    }

    @Test(
        "widths are those of a terminal",
        arguments: [
            ("abc", 3), ("", 0), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("日", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2),
            ("✓", 1),
            ("●", 1), ("█", 1), ("🍅", 2), ("\u{200B}", 0), ("\u{7}", 0), ("🇩🇪", 2), ("⌚", 2),
        ])
    func widths(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }
}
