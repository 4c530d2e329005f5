package import FocusCore
import FocusText
import FocusWords

/// A status bar that `focus status --bar` writes for, each by its own convention (docs/bars).
package enum Bar: String, CaseIterable, Hashable, Sendable {
    /// Waybar's `custom` module with `"return-type": "json"`.
    case waybar
    /// Polybar's `custom/script` with `tail = true`.
    case polybar
    /// i3blocks with `interval=persist` and `format=json`.
    case i3blocks
    /// tmux's `#(…)` in its status line.
    case tmux
    /// SwiftBar's streamable plugins, and xbar's frames.
    case swiftbar
}

/// What a bar is told.
package struct BarFrame: Hashable, Sendable {
    let shown: Presentation
    /// `running`, `paused` or `stopped`.
    let state: String
    /// The path of `focus`, for bars that start it.
    let program: String

    /// What every bar is told at one instant.
    ///
    /// - Parameters:
    ///   - state: `running`, `paused` or `stopped`.
    ///   - program: the path of `focus`, for bars that start it.
    package init(_ shown: Presentation, state: String, program: String) {
        self.shown = shown
        self.state = state
        self.program = program
    }

    /// One frame, without the end of its last line.
    package func text(for bar: Bar) -> String {
        switch bar {
        case .waybar: waybar.description
        case .polybar: polybar
        case .i3blocks: i3blocks.description
        case .tmux: tmux
        case .swiftbar: swiftbar
        }
    }

    /// What every bar shows first: `Work 24:13`, or `Work 24:13 +5m`.
    var clock: String { "\(shown.statusLabel.rawValue) \(shown.clockWithAdded)" }

    /// The label behind a space; nothing where there is none.
    func label(_ escape: (String) -> String) -> String {
        shown.label.isEmpty ? "" : " \(escape(shown.label))"
    }
}
