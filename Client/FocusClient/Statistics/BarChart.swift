import CursesKit
import FocusCore
import FocusFront
import FocusScreen

/// A bar chart of focus times, one row each.
struct BarChart {
    struct Row {
        let name: String
        let total: FocusTotal
    }

    let rows: [Row]
    let glyphs: Glyphs
    let paint: TextColouring
    /// The maximum number of columns of a line.
    let columns: Int
    /// Whether the lines have the number of completed work phases.
    var hasCounts = true

    private static let indent = "  "
    /// The maximum number of columns of a bar.
    private static let longestBar = 40

    /// Returns a line for each row. With `namesLast`, bars take half of the width, and the names follow them,
    /// cut if they don't fit. That is for names that people chose, which may be long.
    func lines(namesLast: Bool) -> [String] {
        let most = rows.map(\.total.focus).max() ?? .zero
        let names = namesLast ? 0 : (rows.map(\.name.count).max() ?? 0)
        let lengths = rows.map { lengthText($0.total.focus) }
        let counts = rows.map { "\($0.total.completed)" }
        let lengthWidth = lengths.map(\.count).max() ?? 0
        let countWidth = counts.map(\.count).max() ?? 0
        return rows.indices.map { index in
            var line = BarChart.indent
            if !namesLast { line += padded(rows[index].name, to: names) + "  " }
            line += rightAligned(lengths[index], to: lengthWidth)
            if hasCounts { line += "  " + rightAligned(counts[index], to: countWidth) }
            let left = max(0, columns - line.count - 2)
            let width = min(BarChart.longestBar, namesLast ? left / 2 : left)
            let bar = glyphs.bar(rows[index].total.focus, of: most, width: width)
            let name = namesLast ? cut(rows[index].name, to: left - width - 2) : ""
            if !bar.isEmpty || !name.isEmpty { line += "  " + paint.coloured(bar, .work) }
            if !name.isEmpty { line += String(repeating: " ", count: width - bar.count + 2) + name }
            return line
        }
    }

    /// Returns the name, cut to `room` columns, with a sign at its end if it was cut.
    private func cut(_ name: String, to room: Int) -> String {
        guard DisplayWidth.of(name) > room else { return name }
        return room > 1 ? DisplayWidth.cut(name, to: room - 1) + glyphs.cutOff : ""
    }
}
