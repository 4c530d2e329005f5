import CommandLineKit
import FocusAgent
package import FocusCore
package import FocusDevice
import FocusFront
import FocusStore
import FocusText
import FocusWords

/// What there is to be shown, but for where the person is in it: all that a frame is drawn from beside the `ViewState`.
package struct Scene: Hashable, Sendable {
    /// The timer.
    package let presentation: Presentation
    /// The settings that hold for all laptops of the group.
    package let settings: Settings
    /// What the screen that is open shows.
    package let content: Content
    /// What is the matter with the laptop or its log.
    package let troubles: [Trouble]
    /// Why the log can't be read; nil while it can.
    package let problem: String?

    /// What belongs to the screen that is shown.
    package enum Content: Hashable, Sendable {
        case timer(today: FocusTotal)
        case history([HistoryRow])
        case statistics(StatisticsScene)
        /// Which of this laptop's own settings are on.
        case settings(on: Set<LaptopSetting>)
        case devices([DeviceRow])
        /// The log can't be read; `problem` says why.
        case unreadable
    }

    /// What there is to be shown at one instant.
    ///
    /// - Parameter problem: why the log can't be read, as sentences; nil while it can.
    package init(
        presentation: Presentation, settings: Settings, content: Content, troubles: [Trouble] = [],
        problem: String? = nil
    ) {
        self.presentation = presentation
        self.settings = settings
        self.content = content
        self.troubles = troubles
        self.problem = problem
    }
}

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
