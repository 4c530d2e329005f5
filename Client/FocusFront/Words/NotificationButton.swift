package import FocusCore

/// A press that a notification offers. Its raw value is the name of the action on the bus.
package enum NotificationButton: String, CaseIterable, Hashable, Sendable {
    case startWork = "start-work"
    case startBreak = "start-break"
    /// Ends overtime.
    case beginBreak = "begin-break"
    case skip
    case addTime = "add-time"
    case undo
    case keepTime = "keep-time"
    case dropTime = "drop-time"
    case pauseThen = "pause-then"

    /// The request of a person who presses a button.
    package enum Request: Hashable, Sendable {
        /// A press on the timer that the notification is about.
        case press(Interaction)
        /// The answer to the question about an absence.
        case answer(AbsenceAnswer)
    }

    /// The buttons that answer a question about an absence.
    static let answers = [keepTime, dropTime, pauseThen]

    /// The text on the button.
    package var title: String {
        switch self {
        case .startWork: "Start work"
        case .startBreak, .beginBreak: "Start break"
        case .skip: "Skip"
        case .addTime: "+5 min"
        case .undo: "Undo"
        case .keepTime: AbsenceAnswer.keep.title
        case .dropTime: AbsenceAnswer.drop.title
        case .pauseThen: AbsenceAnswer.pause.title
        }
    }

    /// The button's request.
    package var request: Request {
        switch self {
        case .startWork, .startBreak: .press(.toggle)
        case .beginBreak: .press(.rest)
        case .skip: .press(.skip)
        case .addTime: .press(.addTime(.seconds(300)))
        case .undo: .press(.undo)
        case .keepTime: .answer(.keep)
        case .dropTime: .answer(.drop)
        case .pauseThen: .answer(.pause)
        }
    }

    /// Returns the buttons that fit the timer after a happening that time or another laptop caused.
    static func buttons(after happening: Happening) -> [NotificationButton] {
        let shown = Presentation(happening.timer)
        let main: [NotificationButton] =
            shown.mainButton == .start ? [shown.activity.isBreak ? .startBreak : .startWork] : []
        switch (happening.kind, happening.cause) {
        case (.phaseWarning, _): return [.addTime, .skip]
        case (.overtime, _): return [.beginBreak, .addTime]
        case (.phaseEnd, _), (.stop, .time):
            return main + (shown.offers.contains(.skip) ? [.skip] : []) + (shown.isRunning ? [.addTime] : [])
        case (.start, _), (.pause, _), (.resume, _), (.stop, _), (.skip, _):
            return shown.offers.contains(.undo) ? [.undo] : []
        case (.phaseStart, _), (.joined, _), (.left, _), (.conflict, _): return []
        }
    }
}
