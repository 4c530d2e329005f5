import CommandLineKit
package import CursesKit
import FocusCore
import FocusWords

/// What the full-screen view shows: a pure function of where the person is, of what there is to show, of the
/// terminal's size and of what it can show.
package enum ScreenFrame {
    /// A grid of that size. It shows what fits; from 40 columns and 12 rows on that is all that matters.
    package static func draw(
        _ view: ViewState, _ scene: Scene, _ size: TerminalSize, _ capabilities: Capabilities
    ) -> Grid {
        var canvas = Canvas(size, capabilities)
        let layout = Layout(view, size)
        if case .help(let top) = view.dialog {
            HelpFrame(top: top, layout: layout).draw(on: &canvas)
            return canvas.grid
        }
        switch scene.content {
        case .timer(let today): TimerFrame(scene: scene, today: today, layout: layout).draw(on: &canvas)
        case .history(let rows): HistoryFrame(view: view, rows: rows, layout: layout).draw(on: &canvas)
        case .statistics(let statistics):
            StatisticsFrame(
                place: view.statistics, scene: statistics, goal: scene.settings[.dailyGoal], layout: layout
            ).draw(on: &canvas)
        case .settings(let own):
            SettingsFrame(view: view, settings: scene.settings, own: own, layout: layout).draw(on: &canvas)
        case .devices(let rows):
            DevicesFrame(
                place: view.devices, selected: view.selected(of: rows), rows: rows,
                isAlone: scene.presentation.sharing == .alone,
                troubles: scene.troubles, layout: layout
            ).draw(on: &canvas)
        case .unreadable: break
        }
        if view.screen != .timer { drawStatus(scene.presentation, on: &canvas) }
        drawTabs(view.screen, on: &canvas)
        BottomLines(view: view, scene: scene).draw(on: &canvas)
        return canvas.grid
    }

    /// The names of the screens, as long as there is room for.
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

    /// What the timer does, in one line.
    private static func drawStatus(_ shown: Presentation, on canvas: inout Canvas) {
        let style = canvas.palette.theme(shown.theme, bold: true)
        canvas.clear(1)
        var column = canvas.write(" \(shown.statusLabel.rawValue)  \(shown.clock)", 1, 0, style)
        let rest = (shown.remark.map { $0.count + 4 } ?? 0) + DisplayWidth.of(shown.label) + 3
        // The first to go where there is too little room.
        if let added = shown.addedText, column + 1 + added.count + rest <= canvas.size.columns {
            column = canvas.write(" \(added)", 1, column)
        }
        if let remark = shown.remark { column = canvas.write("  (\(remark))", 1, column) }
        if !shown.label.isEmpty {
            canvas.writeCut(shown.label, 1, column + 2, limit: canvas.size.columns - column - 3)
        }
    }
}

extension Presentation {
    /// What the status label and the clock don't tell; nil where they tell all.
    var remark: String? {
        if !stopShown { return "stopped" }
        return !isRunning && mainButton == .start ? "waits to be started" : nil
    }
}

extension ScreenName {
    fileprivate var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    fileprivate var shortTitle: String { self == .statistics ? "Stats" : title }
}

/// Which rows of the terminal are for what: names of the screens at the top, what the timer does below them (on the
/// timer's own screen it is the content), keys at the bottom.
struct Layout {
    let size: TerminalSize
    private let view: ViewState

    init(_ view: ViewState, _ size: TerminalSize) {
        self.view = view
        self.size = size
    }

    /// From so many rows on there is air below the status line.
    private static let roomy = 20

    /// The first row of the content.
    var top: Int {
        if isHelp { return 2 }
        if view.screen == .timer { return 1 }
        return size.rows >= Layout.roomy ? 3 : 2
    }

    /// The row after the content: that of the keys.
    var bottom: Int { max(top, size.rows - 1) }

    /// The rows of the content that lie above its list.
    var headRows: Int {
        if isHelp { return 0 }
        switch view.screen {
        case .history: return view.shownFilter.isEmpty && !view.isTypingFilter ? 0 : 1
        case .statistics: return 2
        case .timer, .settings, .devices: return 0
        }
    }

    /// How many rows the list has, one at least.
    var listHeight: Int { max(1, bottom - top - headRows) }

    private var isHelp: Bool { if case .help = view.dialog { true } else { false } }
}

extension ViewState {
    /// The filter that the history is shown by: the one that is being typed, if one is.
    package var shownFilter: String {
        if case .field(.filter, let text) = dialog { text.text } else { history.filter }
    }

    var isTypingFilter: Bool { if case .field(.filter, _) = dialog { true } else { false } }
}
