import CursesKit
import FocusCore

/// What each key does.
struct HelpFrame {
    /// The first line that is shown.
    let top: Int
    let layout: Layout

    private static let keyColumn = 2
    private static let wordColumn = 13

    func draw(on canvas: inout Canvas) {
        canvas.write(" Keys ", 0, 0, Style(bold: true, reversed: true))
        let lines = KeyHelp.lines
        let first = max(0, min(top, lines.count - layout.listHeight))
        for (index, line) in lines.dropFirst(first).prefix(layout.listHeight).enumerated() {
            let row = layout.top + index
            switch line {
            case .title(let title): canvas.write(" \(title)", row, 0, Style(bold: true))
            case .key(let key, let what):
                canvas.write(key, row, HelpFrame.keyColumn, canvas.palette.theme(.work, bold: true))
                canvas.write(what, row, HelpFrame.wordColumn)
            case .blank: break
            }
        }
        let isAll = lines.count <= layout.listHeight
        let hint = isAll ? "any key closes" : "j k scroll, any other key closes"
        canvas.write(" \(hint)", canvas.size.rows - 1, 0)
    }
}
