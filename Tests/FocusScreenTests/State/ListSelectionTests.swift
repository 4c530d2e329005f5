import FocusClient
import FocusScreen
import Testing

@Suite("The selection in a list")
struct ListSelectionTests {
    /// Ten rows, of which 0 and 5 are headings.
    private let rows: [Int?] = (0..<10).map { $0 % 5 == 0 ? nil : $0 }

    @Test("a new selection shows the top of the list with its heading")
    func head() {
        let window = ListSelection<Int>().window(on: rows, height: 4)
        #expect(window.rows == 0..<4)
        #expect(window.selected == 1)
    }

    @Test("moving skips headings, and the window follows")
    func moving() {
        var place = ListSelection<Int>()
        place.move(by: 4, on: rows, height: 4)
        #expect(place.selected == 6)
        #expect(place.window(on: rows, height: 4) == .init(rows: 3..<7, selected: 6))
        place.move(by: 99, on: rows, height: 4)
        #expect(place.window(on: rows, height: 4) == .init(rows: 6..<10, selected: 9))
        place.move(by: -3, on: rows, height: 4)
        // The heading above the selected row becomes visible too.
        #expect(place.window(on: rows, height: 4) == .init(rows: 5..<9, selected: 6))
        place.move(by: -99, on: rows, height: 4)
        #expect(place == ListSelection())
    }

    @Test("rows added at the top move nothing, and if the selected row is gone, the first is selected")
    func growing() {
        var place = ListSelection<Int>()
        place.move(by: 5, on: rows, height: 4)
        let before = place.window(on: rows, height: 4)
        let more = [nil, 20, 21] + rows
        let after = place.window(on: more, height: 4)
        #expect(after.selected == before.selected.map { $0 + 3 })
        #expect(after.rows.lowerBound == before.rows.lowerBound + 3)
        #expect(place.window(on: [nil, 1, 2], height: 4) == .init(rows: 0..<3, selected: 1))
    }

    @Test("no rows and no room do no harm")
    func nothing() {
        var place = ListSelection(3, line: 7)
        place.move(by: 1, on: [], height: 4)
        #expect(place.window(on: [], height: 4) == .init(rows: 0..<0, selected: nil))
        #expect(place.window(on: [nil, nil], height: 1).selected == nil)
        place.move(by: 1, on: rows, height: 0)
        #expect(place.window(on: rows, height: 0).rows.isEmpty)
    }
}
