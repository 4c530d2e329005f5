import CommandLineKit
import CursesKit
import FocusCore
import FocusFront

// The keys of the statistics.
extension ViewState {
    /// Handles a key of the statistics. Returns nil if they don't use the key.
    ///
    /// - Parameter step: The number of rows that the key moves in a list; nil if it doesn't move.
    mutating func pressOnStatistics(
        _ key: Key, _ step: Int?, _ scene: StatisticsScene, _ height: Int
    ) -> Effect?? {
        switch key {
        case .left, .character("h"): statistics.chart = statistics.chart.next(by: -1)
        case .right, .character("l"): statistics.chart = statistics.chart.next(by: 1)
        case .character("r") where statistics.chart.isOfRange:
            dialog = .field(.range, TextField(offering: statistics.range.line))
            message = StatsRange.rule
        default:
            guard let step else { return nil }
            switch scene.chart {
            case .bars(let bars):
                statistics.bars.move(by: step, on: bars.map { $0.id }, height: height)
            case .heatmap:
                // Down means back in time, as in the lists.
                let years = statistics.yearsBack + max(-1, min(step, 1))
                statistics.yearsBack = max(0, min(years, StatisticsViewState.yearsBackLimit))
            }
        }
        return .some(nil)
    }

    /// Changes the range of the statistics, or shows the line's problem.
    mutating func setRange(_ line: String, _ scene: Scene) {
        guard let range = StatsRange(line: line) else {
            message = "'\(line)' is no range of days. \(StatsRange.rule)"
            return
        }
        do throws(CommandFailure) {
            if case .statistics(let shown) = scene.content {
                _ = try range.days(today: shown.day, first: nil)
            }
            statistics.range = range
            statistics.bars = ListSelection()
            dialog = .none
        } catch {
            message = error.message
        }
    }
}
