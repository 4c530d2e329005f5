import CursesKit
import FocusCore
import FocusFront
import FocusText

/// The statistics screen: bars, or the heatmap of a year.
struct StatisticsFrame {
    let state: StatisticsViewState
    let scene: StatisticsScene
    let goals: Goals
    let layout: Layout

    func draw(on canvas: inout Canvas) {
        drawHeading(on: &canvas)
        let summary =
            ([longSummary] + shortSummaries).first { DisplayWidth.of($0) + 2 <= canvas.size.columns } ?? today
        canvas.writeCut(" \(summary)", layout.top + 1, 0, limit: canvas.size.columns)
        if let range = scene.range {
            canvas.writeCut(
                " \(line(of: range, canvas.size.columns - 2))", layout.top + 2, 0, limit: canvas.size.columns)
        }
        switch scene.chart {
        case .bars(let bars): draw(bars, on: &canvas)
        case .heatmap(let heatmap): draw(heatmap, on: &canvas)
        }
    }

    /// Draws the first row: the charts' names, with the shown one underlined, and the time zone.
    private func drawHeading(on canvas: inout Canvas) {
        var column = 1
        for chart in StatisticsViewState.Chart.allCases {
            let name = chart.rawValue.prefix(1).uppercased() + chart.rawValue.dropFirst()
            let style = chart == state.chart ? Style(bold: true, underlined: true) : Style.plain
            column = canvas.write(name, layout.top, column, style) + 2
        }
        // The zone is shortened if there is too little room.
        for zone in ["Days of \(scene.zone.text)", scene.zone.text, scene.zone.offset] {
            let left = canvas.size.columns - DisplayWidth.of(zone) - 1
            guard left >= column else { continue }
            canvas.write(zone, layout.top, left)
            break
        }
    }

    // MARK: - Words

    /// Returns focus time and completed phases with their goals: `3h20m of 4h, 2 of 8`.
    private func text(_ total: FocusTotal, _ goal: Goal) -> String {
        "\(GoalText.focus(total, goal)), \(GoalText.completed(total, goal))"
    }

    private var today: String { "Today \(text(scene.today, goals.goal(of: scene.day)))" }

    /// Returns the work of this week, if it has a goal.
    private func week(_ name: String) -> [String] {
        goals.weekly.isSet ? ["\(name) \(text(scene.week, goals.weekly))"] : []
    }

    /// Returns the present streak, unless there never was one.
    ///
    /// - Parameter longest: The words before the longest streak, which is left out if they are nil.
    private func streak(_ longest: String?) -> [String] {
        guard let streak = scene.streak, streak.longest > 0 else { return [] }
        return [
            "Streak \(counted(streak.current, streak.unit.rawValue))"
                + (longest.map { ", \($0) \(streak.longest)" } ?? "")
        ]
    }

    private var longSummary: String {
        (["\(today) work phases"] + week("This week") + streak("the longest")).joined(separator: "  ·  ")
    }

    /// The summaries for fewer columns, the longest first.
    private var shortSummaries: [String] {
        let tails = [
            week("This week") + streak("best"), week("Week") + streak(nil), week("Week"), streak(nil),
        ]
        return tails.map { ([today] + $0).joined(separator: " · ") }
    }

    /// Returns the longest line about a range that fits into this many columns.
    private func line(of range: StatisticsScene.RangeSummary, _ columns: Int) -> String {
        let total = "\(range.title): \(text(range.total, .nothing))"
        let named = "\(total) completed"
        let averages = [
            range.averages.averageText.map { text in
                range.averages.beforeText.map { "\(text)  ·  \($0)" } ?? text
            },
            range.averages.shortText(withBefore: true), range.averages.shortText(withBefore: false),
        ]
        let lines = averages.compactMap { $0 }.map { "\(named)  ·  \($0)" } + [named]
        return lines.first { DisplayWidth.of($0) <= columns } ?? total
    }

    // MARK: - Charts

    /// Returns the names beside the bars. A week is named "week, first day"; in few columns only the week is
    /// left. Labels and tags take at most a third of the columns.
    private func names(of bars: [StatisticsScene.Bar], _ columns: Int) -> [String] {
        guard state.chart == .labels || state.chart == .tags else {
            return bars.map { bar in columns < 50 ? String(bar.name.prefix { $0 != "," }) : bar.name }
        }
        return bars.map { bar in
            let room = max(2, columns / 3)
            return DisplayWidth.of(bar.name) <= room
                ? bar.name : DisplayWidth.cut(bar.name, to: room - 1) + "…"
        }
    }

    private func draw(_ bars: [StatisticsScene.Bar], on canvas: inout Canvas) {
        let most = bars.map(\.total.focus).max() ?? .zero
        let names = names(of: bars, canvas.size.columns)
        let nameWidth = names.map { DisplayWidth.of($0) }.max() ?? 0
        let lengths = bars.map { $0.total.focus == .zero ? "" : lengthText($0.total.focus) }
        let lengthWidth = lengths.map(\.count).max() ?? 0
        // A day or week that reached its goal has a tick.
        let goal =
            switch state.chart {
            case .days: goals.daily
            case .weeks: goals.weekly
            case .year, .hours, .labels, .tags: Goal.nothing
            }
        let ticks = goal.isSet
        let counts = bars.map { bar in
            let isMet = goal.isMet(by: bar.total)
            return (bar.total.completed == 0 ? "" : "\(bar.total.completed)")
                + (isMet ? "✓" : ticks ? " " : "")
        }
        let countWidth = counts.map(\.count).max() ?? 0
        ListFrame(
            selection: state.bars, rows: RowIDs(bars.map { $0.id }), top: layout.top + layout.headRows,
            height: layout.listHeight
        ).draw(on: &canvas) { canvas, index, row, style in
            let gap = String(repeating: " ", count: nameWidth - DisplayWidth.of(names[index]))
            let text =
                " \(names[index])\(gap)  \(rightAligned(lengths[index], to: lengthWidth))  "
                + "\(rightAligned(counts[index], to: countWidth))  "
            let column = canvas.write(text, row, 0, style)
            let width = canvas.size.columns - column - 2
            // The bar looks the same in the selected row.
            canvas.write(String(repeating: " ", count: width + 2), row, column)
            canvas.write(
                canvas.glyphs.lowBar(bars[index].total.focus, of: most, width: width), row, column,
                canvas.palette.theme(.work))
        }
    }

    private func draw(_ heatmap: Heatmap, on canvas: inout Canvas) {
        let lines = HeatmapText(
            heatmap, columns: canvas.size.columns - 1, isRoomy: true, canvas.glyphs, .plain)
        let first = layout.top + layout.headRows
        let days = heatmap.weeks.flatMap(\.cells).compactMap { $0?.day }
        let isRoomy = layout.listHeight >= 11
        if isRoomy, let from = days.first, let to = days.last {
            canvas.write(" \(from.name) to \(to.name)", first, 0)
        }
        // If rows are missing, the legend is left out first, then the months.
        var row = first + (isRoomy ? 2 : 0)
        if layout.listHeight > 7 {
            canvas.write(lines.months, row, 0)
            row += 1
        }
        for line in lines.days where row < layout.bottom {
            let column = canvas.write(String(line.prefix(HeatmapText.margin)), row, 0)
            canvas.write(
                String(line.dropFirst(HeatmapText.margin)), row, column, canvas.palette.theme(.work))
            row += 1
        }
        guard layout.listHeight > 8 else { return }
        var column = canvas.write(lines.legend.before, row, 0)
        column = canvas.write(lines.legend.signs, row, column, canvas.palette.theme(.work))
        canvas.write(lines.legend.after, row, column)
    }
}
