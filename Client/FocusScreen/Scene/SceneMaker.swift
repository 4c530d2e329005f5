import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import FocusWords

/// Makes scenes of what a model has, and keeps what would be costly to make anew each second.
final class SceneMaker {
    private let model: DeviceModel
    private var days: Kept<[HistoryByDay.Entry]>?
    private var statistics: Kept<Statistics>?
    private var rows: (filter: String, Kept<[HistoryRow]>)?

    init(_ model: DeviceModel) { self.model = model }

    /// What was made of a history, on a day.
    private struct Kept<Value> {
        let history: History
        let today: Day
        let value: Value
    }

    /// The scene that belongs to where the person is.
    func scene(for view: ViewState) -> Scene {
        let status = model.status
        do throws(DeviceFailure) {
            let troubles = try model.device.attempt { device throws(StoreError) in
                try device.troubles(status.state, at: device.now())
            }
            return Scene(
                presentation: model.presentation, settings: status.state.settings,
                content: try content(view, status), troubles: troubles,
                problem: model.failure?.explanation)
        } catch {
            return Scene(
                presentation: model.presentation, settings: status.state.settings,
                content: .unreadable, problem: CommandFailure(error).message)
        }
    }

    private func content(_ view: ViewState, _ status: DeviceStatus) throws(DeviceFailure) -> Scene.Content {
        switch view.screen {
        case .timer:
            let today = try today()
            return .timer(today: try counted(on: today).total(in: today...today))
        case .history: return .history(try rows(view.shownFilter))
        case .statistics:
            let today = try today()
            return .statistics(
                StatisticsScene(
                    try counted(on: today), view.statistics, goal: status.state.settings[.dailyGoal],
                    today: today, zone: .here(at: status.now)))
        case .settings:
            return .settings(
                on: try model.device.attempt { device throws(StoreError) in try LaptopSetting.on(device.store)
                }
            )
        case .devices:
            let (list, now) = try model.device.attempt { device throws(StoreError) in
                (try DeviceList(device), try device.now())
            }
            return .devices(list.entries.map { DeviceRow($0, at: now) })
        }
    }

    private func today() throws(DeviceFailure) -> Day {
        let now = try model.device.attempt { device throws(StoreError) in try device.now() }
        return LocalCalendar.here.day(of: now)
    }

    private func counted(on today: Day) throws(DeviceFailure) -> Statistics {
        let history = try model.history()
        if let kept = statistics, kept.today == today, kept.history == history { return kept.value }
        let value = Statistics(history.records, .here)
        statistics = Kept(history: history, today: today, value: value)
        return value
    }

    private func rows(_ filter: String) throws(DeviceFailure) -> [HistoryRow] {
        let history = try model.history()
        let today = try today()
        if let (known, kept) = rows, known == filter, kept.today == today, kept.history == history {
            return kept.value
        }
        let value = HistoryRow.rows(try days(of: history, today), filter: filter) { LocalTime($0).clock }
        rows = (filter, Kept(history: history, today: today, value: value))
        return value
    }

    private func days(of history: History, _ today: Day) throws(DeviceFailure) -> [HistoryByDay.Entry] {
        if let days, days.today == today, days.history == history { return days.value }
        let value = HistoryByDay(history.records, .here).days
        days = Kept(history: history, today: today, value: value)
        return value
    }
}
