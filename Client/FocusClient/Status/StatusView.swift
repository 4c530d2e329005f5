package import FocusCore
package import FocusScreen
import FocusWords

/// What the commands show of a state at an instant.
package struct StatusView: Hashable, Sendable {
    /// What the timer does at that instant.
    package let timer: TimerState
    /// What people are shown of it, as every front end draws it.
    package let presentation: Presentation

    /// What is shown of `state` at `now`.
    package init(_ state: ReplayState, at now: SharedInstant) {
        timer = TimerState(state, at: now)
        presentation = Presentation(timer)
    }

    /// One line for people: `Work  24:13 +5m  Write`. What the label and the clock don't tell is said in words.
    package func line(_ paint: Paint) -> String {
        var parts = [
            paint.coloured(presentation.statusLabel.rawValue, presentation.theme),
            presentation.clockWithAdded,
        ]
        if !presentation.label.isEmpty { parts.append(presentation.label) }
        switch timer.status {
        case .stopped: parts.append("(stopped)")
        case .paused where presentation.mainButton == .start: parts.append("(waits to be started)")
        case .paused, .running: break
        }
        return parts.joined(separator: "  ")
    }
}
