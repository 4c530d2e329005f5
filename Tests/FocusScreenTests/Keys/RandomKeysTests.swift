import CursesKit
import FocusCore
import FocusDevice
import FocusFront
import FocusScreen
import FocusText
import TestSupport
import Testing

@Suite("Any keys in the full-screen view")
struct RandomKeysTests {
    private static let keys: [Key] =
        "q12345/ sx+-uUlLjkhgGieydn?JpoNab日\u{301}".unicodeScalars.map(Key.character)
        + "abdefghklnpuw".unicodeScalars.map(Key.control)
        + [
            .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down, .left, .right, .home, .end,
            .pageUp, .pageDown, .other,
        ]

    private func content(_ view: ViewState, _ rows: HistoryList, _ devices: [DeviceRow]) throws
        -> Scene.Content
    {
        switch view.screen {
        case .timer: .timer(today: FocusTotal())
        case .history: .history(view.shownFilter.isEmpty ? rows : try Samples.historyRows(filter: "skipped"))
        case .statistics: .statistics(try Samples.statistics(view.statistics))
        case .settings: .settings([.notifications: .off])
        case .devices: .devices(devices)
        }
    }

    /// Draws a frame with colours and Unicode, and one with neither.
    private func expectFrame(of view: ViewState, _ scene: Scene, _ size: TerminalSize) {
        let grid = ScreenFrame.draw(view, scene, size, Capabilities(colours: .palette, isUnicode: true))
        #expect(grid.size == size)
        if let cursor = grid.cursor {
            #expect((0..<size.rows).contains(cursor.row) && (0..<size.columns).contains(cursor.column))
        }
        let plain = ScreenFrame.draw(view, scene, size, Capabilities(colours: .none, isUnicode: false))
        let isPlain = plain.cells.allSatisfy { cell in
            if case .narrow(let text, let style) = cell {
                style.colour == nil && text.utf8.allSatisfy { $0 < 0x80 }
            } else {
                false
            }
        }
        #expect(isPlain, "\(view.screen)")
    }

    @Test(
        "in any order and at any size draw a frame, in ASCII too, and the stored state is restored",
        arguments: 1...8 as ClosedRange<UInt64>)
    func walk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = try Samples.historyRows()
        let labels = RecentLabels(try Samples.history())
        let devices = (0..<30).map {
            DeviceRow(
                id: "\($0)", name: "device \($0)",
                DeviceRow.Standing.allCases[$0 % DeviceRow.Standing.allCases.count], remark: "")
        }
        let shown = [try Samples.running(for: minutes(8), label: "日本語 é"), Samples.stopped()]
        var view = ViewState()
        for _ in 0..<400 {
            let size = TerminalSize(
                rows: Int.random(in: 0...50, using: &random), columns: Int.random(in: 0...130, using: &random)
            )
            let scene = Scene(
                presentation: try #require(shown.randomElement(using: &random)), settings: Settings(),
                content: try content(view, rows, Int.random(in: 0..<9, using: &random) == 0 ? [] : devices),
                labels: labels)
            let key = try #require(RandomKeysTests.keys.randomElement(using: &random))
            _ = view.press(key, on: scene, size)
            let after = Scene(
                presentation: scene.presentation, settings: Settings(),
                content: try content(view, rows, devices), labels: labels)
            expectFrame(of: view, after, size)

            var kept = view
            kept.message = nil
            kept.labelList = LabelList()
            if case .question = kept.dialog { kept.dialog = .none }
            if case .field(.invite, _) = kept.dialog { kept.dialog = .none }
            #expect(ViewState(try JSON(parsing: Array("\(view.json)".utf8))) == kept, "seed \(seed)")
        }
    }
}
