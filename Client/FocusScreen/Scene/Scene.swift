import CommandLineKit
package import FocusContact
package import FocusCore
package import FocusDevice
package import FocusFront
import FocusLink
import FocusStore
import FocusText

/// Everything that a frame shows, except the view's own state (`ViewState`).
package struct Scene: Sendable {
    /// The timer.
    package let presentation: Presentation
    /// The settings for all laptops of the group.
    package let settings: Settings
    /// All profiles of the group, the built-in ones first.
    package let profiles: [Profile]
    /// The colours that were chosen on this laptop.
    package let appearance: Appearance
    /// The content of the present screen.
    package let content: Content
    /// The troubles of the laptop and its log.
    package let troubles: [Trouble]
    /// The open question about an absence; nil if there is none.
    package let question: AbsenceQuestion?
    /// The labels to offer while one is typed; empty if none is typed.
    package let labels: RecentLabels
    /// The instant of the scene, in shared time.
    package let now: SharedInstant
    /// The reason why the log can't be read; nil if it can.
    package let problem: String?

    /// The content of one of the screens.
    package enum Content: Sendable {
        /// The work of today and of this week, and today's phases, which are nil if they aren't known.
        /// `isDayOff`: Today has no daily goal.
        case timer(
            today: FocusTotal, week: FocusTotal = FocusTotal(), isDayOff: Bool = false, day: DayLine? = nil)
        case history(HistoryList)
        case statistics(StatisticsScene)
        /// This laptop's own settings.
        case settings(LaptopSettings)
        case devices([DeviceRow])
        /// The log can't be read; `problem` has the reason.
        case unreadable
    }

    /// The notice about a resolved conflict; nil if there is none.
    var notice: String? { troubles.lazy.compactMap(\.notice).first }

    /// A scene at one instant.
    ///
    /// - Parameters:
    ///   - question: The open question about an absence; nil if there is none.
    ///   - labels: The labels to offer while one is typed.
    ///   - now: The instant, in shared time.
    ///   - problem: The reason why the log can't be read, as sentences; nil if it can.
    package init(
        presentation: Presentation, settings: Settings, profiles: [Profile] = Profile.builtIn,
        content: Content, troubles: [Trouble] = [], question: AbsenceQuestion? = nil,
        labels: RecentLabels = RecentLabels(), appearance: Appearance = Appearance(),
        at now: SharedInstant = .zero, problem: String? = nil
    ) {
        self.appearance = appearance
        self.labels = labels
        self.now = now
        self.presentation = presentation
        self.settings = settings
        self.profiles = profiles
        self.content = content
        self.troubles = troubles
        self.question = question
        self.problem = problem
    }

    /// Whether this laptop was shut out of its group.
    var isShutOut: Bool { troubles.contains(.revoked) }

    /// The maximum number of labels that are offered at once.
    private static let labelLimit = 5
    /// The minimum number of rows that the offered labels leave to the rest.
    private static let otherRows = 6

    /// Returns the labels to offer, the most recent first. Returns none if no label is being typed, if the
    /// list is closed, or if no label matches.
    ///
    /// - Parameter rows: The number of rows of the terminal.
    func offeredLabels(in view: ViewState, rows: Int) -> [String] {
        guard case .field(let field, let text) = view.dialog, field.label(in: text.text) != nil,
            let filter = view.labelList.filter
        else { return [] }
        return labels.matching(filter, limit: min(Scene.labelLimit, rows - Scene.otherRows))
    }
}

/// Makes scenes from a model, and caches the parts that would be too slow to make again each second.
package final class SceneMaker {
    private let model: DeviceModel
    private var index: Cached<HistoryIndex>?
    private var search: Cached<HistorySearch>?
    private var list: Cached<(filter: String, list: HistoryList)>?
    private var statistics: Cached<Statistics>?
    private var ranged: Cached<StatisticsScene.RangeWork>?
    private var work: Cached<(today: FocusTotal, week: FocusTotal, records: [PhaseRecord])>?
    private var labels: Cached<RecentLabels>?

    /// A maker for this model.
    package init(_ model: DeviceModel) { self.model = model }

    /// A cached value, with the version of the history and the day it was made for.
    private struct Cached<Value> {
        let version: Int
        let today: Day
        let value: Value
    }

    /// Returns the scene for a state of the view.
    package func scene(for view: ViewState) -> Scene {
        let status = model.status
        do throws(DeviceFailure) {
            let (troubles, own) = try model.device.attempt { device throws(StoreError) in
                (
                    try device.troubles(status.state, at: device.now()),
                    try LaptopSetting.values(device.store)
                )
            }
            return Scene(
                presentation: model.presentation, settings: status.state.shownSettings,
                profiles: status.state.allProfiles, content: try content(view, status), troubles: troubles,
                question: status.question, labels: try recentLabels(for: view), appearance: Appearance(own),
                at: status.now, problem: model.failure?.explanation)
        } catch {
            return Scene(
                presentation: model.presentation, settings: status.state.shownSettings,
                content: .unreadable, problem: CommandFailure(error).message)
        }
    }

    private func content(_ view: ViewState, _ status: DeviceStatus) throws(DeviceFailure) -> Scene.Content {
        switch view.screen {
        case .timer: return try timer(status)
        case .history: return .history(try list(view.shownFilter))
        case .statistics:
            let today = try presentDay()
            let whole = try cached(&statistics, on: today) { Statistics($0.records, .current) }
            return .statistics(
                StatisticsScene(
                    whole, view.statistics, Goals(status.state.settings), today: today,
                    zone: .current(at: status.now), work: try work(view.statistics, whole, today)))
        case .settings:
            return .settings(
                try model.device.attempt { device throws(StoreError) in
                    try LaptopSetting.values(device.store)
                })
        case .devices:
            let (list, now) = try model.device.attempt { device throws(StoreError) in
                (try DeviceList(device), try device.now())
            }
            let server = self.server
            return .devices(list.entries.map { DeviceRow($0, server: server, at: now) })
        }
    }

    /// The state of the group's server, if this laptop has it.
    private var server: DeviceRow.Server? {
        let shared = SharedServer(model.device.home)
        guard let record = shared.record, let address = (try? Membership(model.device))?.server,
            shared.isServer(at: address)
        else { return nil }
        return record.isOn ? .running : record.isMoving ? nil : .stopped
    }

    /// Returns the work of today and of this week, and today's phases.
    private func timer(_ status: DeviceStatus) throws(DeviceFailure) -> Scene.Content {
        let today = try presentDay()
        let known = try cached(&work, on: today) { history in
            let totals = DayTotals(history, .current)
            let week = CalendarUnit.week.days(around: today).lowerBound...today
            return (
                totals.total(on: today), week.reduce(into: FocusTotal()) { $0 += totals.total(on: $1) },
                Array(history.records[totals.places(around: today)])
            )
        }
        return .timer(
            today: known.today, week: known.week,
            isDayOff: Goals(status.state.settings).daysOff.contains(today),
            day: DayLine(
                known.records, TimerState(status.state, at: status.now),
                of: LocalCalendar.current.span(of: today), .current, at: status.now))
    }

    /// Returns the work of the chosen range; nil if the chart isn't of a range.
    private func work(
        _ view: StatisticsViewState, _ whole: Statistics, _ today: Day
    ) throws(DeviceFailure) -> StatisticsScene.RangeWork? {
        guard view.chart.isOfRange else { return nil }
        let days = StatisticsScene.days(of: view.range, whole, today: today)
        if let ranged, ranged.value.days != days { self.ranged = nil }
        return try cached(&ranged, on: today) {
            StatisticsScene.RangeWork(days: days, statistics: Statistics($0.records, .current, in: days))
        }
    }

    private func recentLabels(for view: ViewState) throws(DeviceFailure) -> RecentLabels {
        guard case .field(let field, let text) = view.dialog, field.label(in: text.text) != nil else {
            return RecentLabels()
        }
        return try cached(&labels, on: presentDay()) { RecentLabels($0) }
    }

    private func presentDay() throws(DeviceFailure) -> Day {
        let now = try model.device.attempt { device throws(StoreError) in try device.now() }
        return LocalCalendar.current.day(of: now)
    }

    /// Returns the names of the group's other laptops, by the replicas that they write under.
    private func otherLaptops() throws(DeviceFailure) -> [ReplicaID: String] {
        guard model.presentation.sharing != .alone else { return [:] }
        let own = try model.device.attempt { device throws(StoreError) in try device.ownReplicas() }
        let state = model.status.state
        let others = state.devices.keys.filter { !own.contains($0) }
        return Dictionary(uniqueKeysWithValues: others.map { ($0, state.name(of: $0)) })
    }

    private func list(_ filter: String) throws(DeviceFailure) -> HistoryList {
        let today = try presentDay()
        let laptops = try otherLaptops()
        let history = try cached(&index, on: today) { HistoryIndex($0, .current, .current, laptops: laptops) }
        if let list, list.value.filter == filter, list.today == today, list.version == model.historyVersion {
            return list.value.list
        }
        var found: [Int32]?
        if !filter.isEmpty {
            found = try cached(&search, on: today) { _ in HistorySearch(history) }.places(filter)
        }
        let newList = HistoryList(history, matching: found)
        list = Cached(version: model.historyVersion, today: today, value: (filter, newList))
        return newList
    }

    /// Returns the cached value, or makes and caches a new one if the history or the day has changed.
    private func cached<Value>(
        _ entry: inout Cached<Value>?, on today: Day, _ make: (History) -> Value
    ) throws(DeviceFailure) -> Value {
        let history = try model.history()
        if let entry, entry.today == today, entry.version == model.historyVersion { return entry.value }
        // The old value is freed first, so that memory needn't hold both.
        entry = nil
        let value = make(history)
        entry = Cached(version: model.historyVersion, today: today, value: value)
        return value
    }
}

extension Trouble {
    /// The notice about a resolved conflict; nil for other troubles.
    var notice: String? { if case .resolved(let sentence, _) = self { sentence } else { nil } }
}
