import CommandLineKit
package import CursesKit
import FocusCore
import FocusFront

/// Draws the full-screen view: a pure function of the view's state, the scene, and the terminal's size and
/// capabilities.
package enum ScreenFrame {
    /// Returns a grid of `size`. From 40 columns and 12 rows on, everything important fits.
    package static func draw(
        _ view: ViewState, _ scene: Scene, _ size: TerminalSize, _ capabilities: Capabilities
    ) -> Grid {
        var canvas = Canvas(size, capabilities, scene.appearance)
        let layout = Layout(view, size)
        if case .help(let top) = view.dialog {
            HelpFrame(top: top, layout: layout).draw(on: &canvas)
            return canvas.grid
        }
        switch scene.content {
        case .timer(let today, let week, let isDayOff, let day):
            let work = GoalText.lines(today: today, week: week, Goals(scene.settings), isDayOff: isDayOff)
            TimerFrame(scene: scene, seenNotice: view.seenNotice, work: work, day: day, layout: layout)
                .draw(on: &canvas)
        case .history(let rows): HistoryFrame(view: view, rows: rows, layout: layout).draw(on: &canvas)
        case .statistics(let statistics):
            StatisticsFrame(
                state: view.statistics, scene: statistics, goals: Goals(scene.settings), layout: layout
            ).draw(on: &canvas)
        case .settings(let own):
            SettingsFrame(
                view: view, settings: scene.settings, profiles: scene.profiles, own: own, layout: layout
            ).draw(on: &canvas)
        case .devices(let rows):
            DevicesFrame(
                selection: view.devices, selected: view.selected(of: rows), rows: rows,
                isAlone: scene.presentation.sharing == .alone,
                troubles: scene.troubles, layout: layout
            ).draw(on: &canvas)
        case .unreadable: break
        }
        if view.screen != .timer { drawStatus(scene, on: &canvas) }
        drawTabs(view.screen, on: &canvas)
        BottomBar(view: view, scene: scene).draw(on: &canvas)
        return canvas.grid
    }

    /// Draws the names of the screens, shortened if there is too little room.
    private static func drawTabs(_ present: ScreenName, on canvas: inout Canvas) {
        let forms: [[String]] = [
            ScreenName.allCases.enumerated().map { " \($0 + 1) \($1.title) " },
            ScreenName.allCases.map { " \($0.shortTitle) " },
            ScreenName.allCases.map { "\($0.shortTitle) " },
        ]
        let names = forms.first { $0.joined().count <= canvas.size.columns } ?? [" \(present.shortTitle) "]
        var column = 0
        canvas.clear(0)
        for (name, screen) in zip(names, names.count == 1 ? [present] : ScreenName.allCases) {
            let style = screen == present ? Style(bold: true, reversed: true) : Style.plain
            column = canvas.write(name, 0, column, style)
        }
    }

    /// Draws the state of the timer in one line.
    private static func drawStatus(_ scene: Scene, on canvas: inout Canvas) {
        let shown = scene.presentation
        let style = canvas.palette.theme(shown.theme, bold: true)
        canvas.clear(1)
        var column = canvas.write(" \(shown.statusLabel.rawValue)  \(shown.clock)", 1, 0, style)
        let remarks =
            [shown.remark, scene.question == nil ? nil : "1 asks about time away"].compactMap(\.self)
        let added = shown.addedText.map { " \($0)" } ?? ""
        let room = canvas.size.columns - column - DisplayWidth.of(shown.label) - 3
        var remark = text(remarks)
        // If there is too little room, the hint at the phase in progress is left out first, then the added
        // time.
        let whole = text(remarks + ["not below yet"])
        if lacksPhase(scene), added.count + whole.count <= room { remark = whole }
        if added.count + remark.count <= room { column = canvas.write(added, 1, column) }
        column = canvas.write(remark, 1, column)
        if !shown.label.isEmpty {
            canvas.writeCut(shown.label, 1, column + 2, limit: canvas.size.columns - column - 3)
        }
    }

    private static func text(_ remarks: [String]) -> String {
        remarks.isEmpty ? "" : "  (\(remarks.joined(separator: ", ")))"
    }

    /// Whether the screen shows the past without the phase that is in progress.
    private static func lacksPhase(_ scene: Scene) -> Bool {
        let shown = scene.presentation
        guard shown.showsStop, !shown.isWaiting, shown.mainButton != .start else { return false }
        return switch scene.content {
        case .history: true
        case .statistics: shown.activity == .work
        case .timer, .settings, .devices, .unreadable: false
        }
    }
}

extension Presentation {
    /// The timer's state in words; nil if the status label and the clock already show it.
    var remark: String? {
        // Stop isn't offered if there is no run.
        if !showsStop { return "stopped" }
        let parts = [
            activity == .longBreak ? "long" : nil,
            !isRunning && mainButton == .start ? "waits to be started" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension ScreenName {
    fileprivate var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    fileprivate var shortTitle: String { self == .statistics ? "Stats" : title }
}

/// The division of the terminal's rows: the screens' names at the top, the timer's status below them, keys at
/// the bottom. The timer's own screen has no status line.
struct Layout {
    let size: TerminalSize
    private let view: ViewState

    init(_ view: ViewState, _ size: TerminalSize) {
        self.view = view
        self.size = size
    }

    /// The minimum number of the terminal's rows for a blank row below the status line.
    private static let roomyRows = 20

    /// The first row of the content.
    var top: Int {
        if isHelp { return 2 }
        if view.screen == .timer { return 1 }
        return size.rows >= Layout.roomyRows ? 3 : 2
    }

    /// The row after the content, which shows the keys.
    var bottom: Int { max(top, size.rows - 1) }

    /// The number of content rows above the list.
    var headRows: Int {
        if isHelp { return 0 }
        switch view.screen {
        case .history: return view.shownFilter.isEmpty && !view.isTypingFilter ? 0 : 1
        case .statistics: return view.statistics.chart.isOfRange ? 3 : 2
        case .timer, .settings, .devices: return 0
        }
    }

    /// The number of rows for the list, at least one.
    var listHeight: Int { max(1, bottom - top - headRows) }

    private var isHelp: Bool { if case .help = view.dialog { true } else { false } }
}

extension ViewState {
    /// The filter for the history: the text in the field while a filter is being typed, else the stored
    /// filter.
    package var shownFilter: String {
        if case .field(.filter, let text) = dialog { text.text } else { history.filter }
    }

    var isTypingFilter: Bool { if case .field(.filter, _) = dialog { true } else { false } }
}
