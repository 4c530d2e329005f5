import FocusCore
import FocusText

/// A heatmap in lines: the days of the week under one another, a column for each week.
struct HeatmapText {
    /// What stands before the weeks takes so many columns.
    static let margin = 6

    private let heatmap: Heatmap
    private let glyphs: Glyphs
    private let paint: Paint

    init(_ heatmap: Heatmap, _ glyphs: Glyphs, _ paint: Paint) {
        self.heatmap = heatmap
        self.glyphs = glyphs
        self.paint = paint
    }

    /// The months, the seven days of the week, and what the signs mean.
    var lines: [String] { ["Day by day: focus time", months] + days + [legend] }

    /// Each month above the week that has its first day, where there is room.
    private var months: String {
        var line = String(repeating: " ", count: HeatmapText.margin)
        for (column, week) in heatmap.weeks.enumerated() {
            guard let first = week.days.first(where: { $0.date.day == 1 }) else { continue }
            let place = HeatmapText.margin + column
            let isApart = line.count < place || line.count == HeatmapText.margin
            guard isApart, column + 3 <= heatmap.weeks.count else { continue }
            line += String(repeating: " ", count: place - line.count) + first.monthName
        }
        return line
    }

    private var days: [String] {
        (0..<7).map { row in
            let cells = heatmap.weeks.map { $0.cells[row] }
            let last = cells.lastIndex { $0 != nil } ?? -1
            let signs = String(cells[...last].map { $0.map { glyphs.shade($0.level) } ?? " " })
            let name = heatmap.weeks.first?.days.dropFirst(row).first?.weekdayName ?? ""
            return "  \(name) \(paint.coloured(signs, .work))"
        }
    }

    private var legend: String {
        let signs = String((0...Heatmap.topLevel).map(glyphs.shade))
        return "  none \(paint.coloured(signs, .work)) \(lengthText(heatmap.most))"
    }
}
