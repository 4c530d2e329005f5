import CursesKit
import FocusCore

/// The day at a glance: today's phases in a row, above a line of hours with a mark at the present time. Work
/// stands high and breaks low, so that they differ without colours too.
struct DayLineFrame {
    let line: DayLine

    /// The number of rows that it takes.
    static let rows = 3
    /// The smallest terminal in which there is room for it, without the margins.
    private static let least = TerminalSize(rows: 30, columns: 92)
    /// The maximum number of columns for an hour.
    private static let hourWidth = 14

    /// Whether a terminal has room for it.
    static func fits(_ size: TerminalSize) -> Bool {
        size.rows >= least.rows && size.columns >= least.columns
    }

    func draw(on canvas: inout Canvas, _ row: Int) {
        let hours = max(1, line.hours.count - 1)
        let width = hours * min(DayLineFrame.hourWidth, max(1, (canvas.size.columns - 3) / hours))
        let left = (canvas.size.columns - width) / 2
        for (place, part) in line.columns(width).enumerated() {
            guard let part else { continue }
            var style = canvas.palette.theme(part.theme)
            // The rest of the present phase is fainter.
            style.isDim = part.isAhead
            canvas.write(part.theme == .work ? "▆" : "▂", row, left + place, style)
        }
        let faint = Style(dim: true)
        canvas.write(String(repeating: "─", count: width + 1), row + 1, left, faint)
        for hour in line.hours {
            let column = left + line.place(of: hour.start, width)
            canvas.write("┴", row + 1, column, faint)
            canvas.write(hour.name, row + 2, column - 1, faint)
        }
        canvas.write("▲", row + 1, left + line.place(of: line.now, width), Style(bold: true))
    }
}
