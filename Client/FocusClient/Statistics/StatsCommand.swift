import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusScreen
import FocusText

/// `focus stats`: prints the history in numbers and charts.
struct StatsCommand {
    let request: StatsRequest

    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let report =
            if let device { try StatsReport(request, device) } else {
                try StatsReport(request, [], Settings(), at: context.clocks.wall())
            }
        if request.json {
            try context.print("\(report.document)\n")
        } else if report.isEmpty {
            context.console.report("The history is empty.")
        } else if request.choice != .all, report.statistics.days.isEmpty {
            context.console.report("Nothing in the history matches.")
        } else {
            let console = context.console
            let view = StatsView(
                report: report, glyphs: console.glyphs, paint: console.paint, columns: console.columns)
            try context.print(view.text)
        }
    }
}

/// The text of `focus stats`. No line is wider than `columns`, unless `columns` is too small for a number.
struct StatsView {
    let report: StatsReport
    let glyphs: Glyphs
    let paint: TextColouring
    let columns: Int

    /// The whole text, with a newline at its end.
    var text: String {
        let charts = report.statistics.days.isEmpty ? [] : [bars, heatmap, hours, labels, tags]
        return ([summary] + charts.filter { !$0.isEmpty })
            .map { $0.map { "\($0)\n" }.joined() }.joined(separator: "\n")
    }

    // MARK: - Summary

    private var summary: [String] {
        let days =
            report.range.count == 1
            ? report.range.lowerBound.name
            : "\(report.range.lowerBound.name) to \(report.range.upperBound.name)"
        let total = report.statistics.total(in: report.range)
        let under =
            switch report.choice {
            case .all: ""
            case .label(let label): label.isEmpty ? " without a label" : " under '\(label)'"
            case .tag(let word): " tagged '\(word)'"
            }
        var lines = [
            "\(days): \(lengthText(total.focus)) of focus time, \(counted(total.completed, "work phase"))\(under)"
        ]
        lines += averages
        if report.range.contains(report.today) {
            let isWhole = report.choice == .all
            let total = report.statistics.total(in: report.today...report.today)
            let goal = isWhole ? report.goals.goal(of: report.today) : .nothing
            lines.append("Today: \(GoalText.full(total, goal))")
            if isWhole, report.goals.weekly.isSet {
                lines.append("This week: \(GoalText.full(report.week, report.goals.weekly))")
            }
        }
        if let streak = report.streak { lines.append(words(streak)) }
        lines.append("Days are those of this laptop's time zone, now \(report.zone.text).")
        return lines.flatMap(wrapped)
    }

    /// The average day of a range of several days, and of the days before.
    private var averages: [String] {
        guard report.range.count > 1, let average = report.averages.averageText else { return [] }
        let off = report.goals.daysOff.isEmpty ? "" : ", days off left out"
        let before = report.averages.beforeText.map { "\($0.prefix(1).uppercased())\($0.dropFirst())" }
        return ["Average: \(average)\(off)"] + (before.map { [$0] } ?? [])
    }

    private func wrapped(_ line: String) -> [String] { TextLayout.wrap(line, width: columns) }

    private func words(_ streak: Streak) -> String {
        let unit = streak.unit.rawValue
        let rule = "with \(GoalText.rule(streak.unit == .day ? report.goals.daily : report.goals.weekly))"
        switch (streak.current, streak.longest) {
        case (_, nil): return "Streak: no \(unit) \(rule) yet"
        case (let current?, let longest?) where current.count == longest.count:
            return "Streak: \(counted(current.count, unit)) \(rule), the longest so far"
        case (let current, let longest?):
            return "Streak: \(counted(current?.count ?? 0, unit)) \(rule); the longest was "
                + "\(counted(longest.count, unit)), up to \(longest.days.upperBound.name)"
        }
    }

    // MARK: - Charts

    private var bars: [String] {
        // If no range was given, this chart has only the last two weeks.
        let days = report.isDefaultRange ? report.today.advanced(by: -13)...report.today : report.range
        let unit = StatsView.unit(for: days)
        let bars = report.statistics.bars(by: unit, in: days)
        let rows = bars.map { BarChart.Row(name: name(of: $0), total: $0.total) }
        return wrapped("By \(unit.rawValue): focus time, work phases") + chart(rows).lines(namesLast: false)
    }

    /// Returns the unit by which a range is divided. It gives a few dozen bars at most, unless the range
    /// spans decades.
    private static func unit(for days: ClosedRange<Day>) -> CalendarUnit {
        switch days.count {
        case ...31: .day
        case ...190: .week
        case ...1100: .month
        default: .year
        }
    }

    /// The minimum number of columns at which the name of a week includes its first day.
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
        guard report.range.count > 31 else { return [] }
        let weeks = max(1, columns - HeatmapText.margin)
        let latest = Heatmap.range(weeks: weeks, upTo: report.range.upperBound)
        let days = max(report.range.lowerBound, latest.lowerBound)...report.range.upperBound
        return HeatmapText(Heatmap(report.statistics, in: days), glyphs, paint).lines
    }

    /// The hours from the first to the last with focus time.
    private var hours: [String] {
        let rows = report.statistics.hourRows.map {
            BarChart.Row(name: $0.name, total: FocusTotal(focus: $0.focus))
        }
        guard !rows.isEmpty else { return [] }
        return wrapped("By hour: focus time")
            + BarChart(rows: rows, glyphs: glyphs, paint: paint, columns: columns, hasCounts: false)
            .lines(namesLast: false)
    }

    /// The maximum number of labels, or of tags, in their chart.
    private static let rowLimit = 10

    private var labels: [String] {
        if case .label = report.choice { return [] }
        guard report.statistics.labels.contains(where: { !$0.label.isEmpty }) else { return [] }
        let rows = report.statistics.labels.map {
            BarChart.Row(name: $0.label.isEmpty ? "(no label)" : $0.label, total: $0.total)
        }
        return list(rows, of: "label")
    }

    private var tags: [String] {
        guard !report.statistics.tags.isEmpty else { return [] }
        return list(
            report.statistics.tags.map { BarChart.Row(name: $0.tag.text, total: $0.total) }, of: "tag")
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
