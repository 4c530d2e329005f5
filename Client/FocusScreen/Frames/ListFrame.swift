import CursesKit

/// A list in its window, with a sign where there is more of it.
struct ListFrame<ID: Hashable & Sendable> {
    let place: ListPlace<ID>
    let ids: [ID?]
    /// The window's first row on the screen, and how many there are.
    let top: Int
    let height: Int

    /// Draws the rows that are in the window.
    ///
    /// - Parameter drawRow: draws a row: its index, its row on the screen, and its style, which shows what is selected.
    func draw(on canvas: inout Canvas, _ drawRow: (inout Canvas, Int, Int, Style) -> Void) {
        let window = place.window(on: ids, height: height)
        for (line, index) in window.rows.enumerated() {
            let isSelected = index == window.selected
            let style = Style(reversed: isSelected)
            if isSelected { canvas.clear(top + line, style) }
            drawRow(&canvas, index, top + line, style)
        }
        let last = canvas.size.columns - 1
        if window.rows.lowerBound > 0 { canvas.write("^", top, last, Style(bold: true)) }
        if window.rows.upperBound < ids.count { canvas.write("v", top + height - 1, last, Style(bold: true)) }
    }
}
