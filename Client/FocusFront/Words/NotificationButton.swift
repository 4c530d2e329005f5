package import FocusCore

/// A press that a notification offers. Its raw value is the name of the action on the bus.
package enum NotificationButton: String, CaseIterable, Hashable, Sendable {
    case startWork = "start-work"
    case startBreak = "start-break"
    case skip
    case addTime = "add-time"
    case undo

    /// The text on the button.
    package var title: String {
        switch self {
        case .startWork: "Start work"
        case .startBreak: "Start break"
        case .skip: "Skip"
        case .addTime: "+5 min"
        case .undo: "Undo"
        }
    }

    /// The request to the timer.
    package var interaction: Interaction {
        switch self {
        case .startWork, .startBreak: .toggle
        case .skip: .skip
        case .addTime: .addTime(.seconds(300))
        case .undo: .undo
        }
    }

    /// Returns the buttons that fit the timer after a happening that time or another laptop caused.
    static func buttons(after happening: Happening) -> [NotificationButton] {
        let shown = Presentation(happening.timer)
        let main: [NotificationButton] =
            shown.mainButton == .start ? [shown.activity.isBreak ? .startBreak : .startWork] : []
        switch (happening.kind, happening.cause) {
        case (.phaseWarning, _): return [.addTime, .skip]
        case (.phaseEnd, _), (.overtime, _), (.stop, .time):
            return main + (shown.offers.contains(.skip) ? [.skip] : []) + (shown.isRunning ? [.addTime] : [])
        case (.start, _), (.pause, _), (.resume, _), (.stop, _), (.skip, _):
            return shown.offers.contains(.undo) ? [.undo] : []
        case (.phaseStart, _), (.joined, _), (.left, _), (.conflict, _): return []
        }
    }
}
