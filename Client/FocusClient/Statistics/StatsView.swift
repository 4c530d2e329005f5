import CommandLineKit
import FocusCore
import FocusText
import FocusWords

/// What `focus stats` shows to people. No line is wider than `columns`, unless that is too few for a number.
struct StatsView {
    let statistics: Statistics
    /// The days that the statistics are of.
    let range: ClosedRange<Day>
    /// In which the days are, now.
    let zone: ZoneName
    /// Whether nobody asked for a range.
    let isUsual: Bool
    let choice: WorkChoice
    /// So many completed work phases a day; 0 is no goal.
    let goal: Int64
    let today: Day
    let streak: Streak?
    let glyphs: Glyphs
    let paint: Paint
    let columns: Int

    /// All of it, with its last newline.
    var text: String {
        let charts = statistics.days.isEmpty ? [] : [bars, heatmap, labels, tags]
        return ([summary] + charts.filter { !$0.isEmpty })
            .map { $0.map { "\($0)\n" }.joined() }.joined(separator: "\n")
    }

    // MARK: - In words

    private var summary: [String] {
        let days =
            range.count == 1
            ? range.lowerBound.name : "\(range.lowerBound.name) to \(range.upperBound.name)"
        let total = statistics.total(in: range)
        let under =
            switch choice {
            case .all: ""
            case .label(let label): label.isEmpty ? " without a label" : " under '\(label)'"
            case .tag(let word): " tagged '\(word)'"
            }
        var lines = [
            "\(days): \(lengthText(total.focus)) of focus time, \(counted(total.completed, "work phase"))\(under)"
        ]
        if range.contains(today), range.count > 1 {
            let total = statistics.total(in: today...today)
            let done =
                choice == .all
                ? completedText(total.completed, goal: goal) : counted(total.completed, "work phase")
            lines.append("Today: \(lengthText(total.focus)) of focus time, \(done)")
        }
        if let streak { lines.append(words(streak)) }
        lines.append("Days are those of this laptop's time zone, now \(zone.text).")
        return lines.flatMap(wrapped)
    }

    private func wrapped(_ line: String) -> [String] { TextLayout.wrap(line, width: columns) }

    private func words(_ streak: Streak) -> String {
        let rule = "with \(goal) work phases or more"
        switch (streak.current, streak.longest) {
        case (_, nil): return "Streak: no day \(rule) yet"
        case (let current?, let longest?) where current.count == longest.count:
            return "Streak: \(counted(current.count, "day")) \(rule), the longest so far"
        case (let current, let longest?):
            return "Streak: \(counted(current?.count ?? 0, "day")) \(rule); the longest was "
                + "\(counted(longest.count, "day")), up to \(longest.upperBound.name)"
        }
    }

    // MARK: - As charts

    private var bars: [String] {
        let days = isUsual ? today.advanced(by: -13)...today : range
        let unit = StatsView.unit(for: days)
        let bars = statistics.bars(by: unit, in: days)
        let rows = bars.map { BarChart.Row(name: name(of: $0), total: $0.total) }
        return wrapped("By \(unit.rawValue): focus time, work phases") + chart(rows).lines(namesLast: false)
    }

    /// What a range is divided into, so that it makes a few dozen bars at most, but for decades.
    private static func unit(for days: ClosedRange<Day>) -> CalendarUnit {
        switch days.count {
        case ...31: .day
        case ...190: .week
        case ...1100: .month
        default: .year
        }
    }

    /// How many columns there must be for a week to be named by its first day too.
    private static let roomForDates = 50

    private func name(of bar: Statistics.Bar) -> String {
        switch bar.unit {
        case .day: bar.days.lowerBound.shortName
        case .week where columns < StatsView.roomForDates: bar.name
        case .week: "\(bar.name), \(bar.days.lowerBound.shortName)"
        case .month: "\(bar.days.lowerBound.monthName) \(bar.days.lowerBound.date.year)"
        case .year: bar.name
        }
    }

    private var heatmap: [String] {
        guard range.count > 31 else { return [] }
        let weeks = max(1, columns - HeatmapText.margin)
        let latest = Heatmap.range(weeks: weeks, upTo: range.upperBound)
        let days = max(range.lowerBound, latest.lowerBound)...range.upperBound
        return HeatmapText(Heatmap(statistics, in: days), glyphs, paint).lines
    }

    private static let rowLimit = 10

    private var labels: [String] {
        if case .label = choice { return [] }
        guard statistics.labels.contains(where: { !$0.label.isEmpty }) else { return [] }
        let rows = statistics.labels.map {
            BarChart.Row(name: $0.label.isEmpty ? "(no label)" : $0.label, total: $0.total)
        }
        return list(rows, of: "label")
    }

    private var tags: [String] {
        guard !statistics.tags.isEmpty else { return [] }
        return list(statistics.tags.map { BarChart.Row(name: $0.tag.text, total: $0.total) }, of: "tag")
    }

    private func list(_ rows: [BarChart.Row], of thing: String) -> [String] {
        let shown = Array(rows.prefix(StatsView.rowLimit))
        let left = rows.count - shown.count
        return wrapped("By \(thing): focus time, work phases") + chart(shown).lines(namesLast: true)
            + (left > 0 ? ["  and \(counted(left, thing)) more"] : [])
    }

    private func chart(_ rows: [BarChart.Row]) -> BarChart {
        BarChart(rows: rows, glyphs: glyphs, paint: paint, columns: columns)
    }
}
