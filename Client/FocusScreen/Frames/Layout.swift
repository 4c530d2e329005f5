import CursesKit

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
