import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusFront

/// The icon, the tooltip and the menu of the tray, made from what every front end shows.
package struct TrayContent: Hashable, Sendable {
    /// The icon.
    package let ring: TrayRing
    /// The status and the time in whole minutes: `Work, 24 min left`, `Work, overtime 2 min`. It is the first
    /// line of the menu and of the tooltip.
    package let time: String
    /// The name of the work, as the tooltip's markup. It is empty if there is none.
    package let label: String
    /// The text that says since when the laptop is offline, or that its server doesn't answer. It is empty if
    /// all is well.
    package let offline: String
    /// The last press, if another laptop made it lately: `Paused by work`. It is empty if none did.
    let press: String
    /// The time about which is asked, as in the full screen. It is empty if nothing is asked.
    private let question: String
    /// The text of the line that undoes: `Undo the pause`.
    private let undo: String
    /// The lines of the menu.
    package let lines: [TrayLine]
    /// The text of the menu's main line.
    package let main: String
    /// The timer and the log that all of this shows.
    package let target: TrayTarget

    /// Makes the content for the laptop's state.
    ///
    /// - Parameter undoable: The press that an undo takes back, or nil if that isn't known.
    package init(_ status: DeviceStatus, undoable: Event? = nil) {
        let presentation = status.presentation
        ring = TrayRing(presentation)
        time = TrayContent.time(presentation)
        // Desktops may read markup in tooltips.
        label = TerminalText.data(presentation.label).replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
        // As in bars, and else as in `focus status`.
        offline = ViewText.trouble(status, []) ?? ViewText.offline(status) ?? ""
        // Its age would change each minute.
        press = presentation.press.map { TerminalText.data($0.text(namesAge: false)) } ?? ""
        let taken = undoable.map { TrayContent.shortened(TerminalText.data($0.action.words)) }
        undo = taken.map { "Undo the \($0)" } ?? "Undo"
        question = status.question.map(\.countedWords) ?? ""
        lines = TrayLine.lines(
            presentation.offers, hasPress: !press.isEmpty, isOffline: !offline.isEmpty,
            asks: status.question != nil)
        main = presentation.mainButton.rawValue
        target = TrayTarget(
            timer: status.shown, events: status.state.eventCount, question: status.question)
    }

    private static func time(_ presentation: Presentation) -> String {
        guard presentation.showsStop else { return "No session" }
        let status = presentation.statusLabel.rawValue
        if let overtime = presentation.overtime {
            return "\(status), overtime \(overtime < .seconds(60) ? "under 1 min" : minutesText(overtime))"
        }
        let length = minutesText(.seconds(presentation.secondsLeft + 59))
        if presentation.isWaiting { return "\(status) in \(length)" }
        let waits = !presentation.isRunning && presentation.mainButton == .start
        return waits ? "\(status) waits, \(length)" : "\(status), \(length) left"
    }

    /// Returns a length in whole minutes, rounded down.
    private static func minutesText(_ length: Duration) -> String {
        let minutes = length.inSeconds / 60
        return minutes < 100 ? "\(minutes) min" : lengthText(.seconds(minutes * 60))
    }

    /// The largest number of characters of a press in the menu. A label may be long.
    private static let pressLimit = 40

    private static func shortened(_ words: String) -> String {
        words.count > pressLimit ? "\(words.prefix(pressLimit - 1))…" : words
    }

    /// Returns the text of a line of the menu. Separators have none.
    package func text(of line: TrayLine) -> String {
        switch line {
        case .time: time
        case .press: press
        case .offline: offline
        case .question: question
        case .keepTime, .dropTime, .pauseThen: line.answer?.title ?? ""
        case .main: main
        case .skip: "Skip"
        case .complete: "Done"
        case .rest: "Break"
        case .addTime: "+5 min"
        case .stop: "Stop"
        case .undo: undo
        case .openPage: "Open the page"
        case .firstSeparator, .lastSeparator: ""
        }
    }

    /// The time until the next look for an answer of the server that is due: longer than it usually takes.
    private static let answerWait = Duration.seconds(15)
    /// The shortest time between two updates because time passes.
    private static let shortestStep = Duration.seconds(1)

    /// Returns the time until the content changes because time passes: the ring's next step, the next minute, or
    /// an answer of the server that is overdue. Nil if the time doesn't run and no answer is due.
    package static func untilNextStep(_ presentation: Presentation) -> Duration? {
        let step = untilNextTime(presentation)
        guard case .group(let link) = presentation.sharing, link.connection == .online, link.pending > 0,
            link.waitsSince == nil
        else { return step }
        return min(step ?? answerWait, answerWait)
    }

    private static func untilNextTime(_ presentation: Presentation) -> Duration? {
        guard presentation.isRunning else { return nil }
        if let overtime = presentation.overtime {
            return .seconds(60) - (overtime - .seconds(overtime.inSeconds / 60 * 60))
        }
        let left = max(.zero, presentation.remaining)
        // The text's minutes are rounded up, so they change when a whole number of minutes is left.
        let rest = left - .seconds(left.inSeconds / 60 * 60)
        let minute = rest > .zero ? rest : .seconds(60)
        return max(shortestStep, min(minute, TrayRing.untilNextStep(presentation) ?? minute))
    }
}

/// The timer and the log that the tray shows. A press in its menu is meant for them.
package struct TrayTarget: Hashable, Sendable {
    /// The timer.
    package let timer: ShownTimer
    /// The number of events in the log. An undo finds its press there.
    package let events: UInt64
    /// The open question about time away, which the answers are for; nil if nothing is asked.
    package let question: AbsenceQuestion?
}

/// A line of the tray's menu. The raw value is the last part of its id (`TrayMenu`).
package enum TrayLine: Int32, CaseIterable, Hashable, Sendable {
    /// The time left, which can't be clicked.
    case time = 1
    /// Another laptop's last press, which can't be clicked.
    case press = 17
    /// The text that the laptop is offline, which can't be clicked.
    case offline = 12
    /// The time about which is asked, which can't be clicked. The answers follow.
    case question = 13
    case keepTime = 14
    case dropTime = 15
    case pauseThen = 16
    case firstSeparator = 2
    /// Start, pause or resume.
    case main
    case skip
    case complete
    /// A break now.
    case rest
    case addTime
    case stop
    case undo
    case lastSeparator
    case openPage

    /// Returns the lines for presses that are possible now.
    fileprivate static func lines(
        _ offers: Set<Offer>, hasPress: Bool, isOffline: Bool, asks: Bool
    ) -> [TrayLine] {
        allCases.filter { line in
            switch line {
            case .time, .firstSeparator, .lastSeparator, .openPage: true
            case .press: hasPress
            case .offline: isOffline
            case .question, .keepTime, .dropTime, .pauseThen: asks
            case .main: offers.contains(.main)
            case .skip: offers.contains(.skip)
            case .complete: offers.contains(.complete)
            case .rest: offers.contains(.rest)
            case .addTime: offers.contains(.addTime)
            case .stop: offers.contains(.stop)
            case .undo: offers.contains(.undo)
            }
        }
    }

    /// The press that a click on the line makes, or nil if the line isn't a press on the timer.
    package var interaction: Interaction? {
        switch self {
        case .time, .press, .offline, .question, .keepTime, .dropTime, .pauseThen, .firstSeparator,
            .lastSeparator, .openPage:
            nil
        case .main: .toggle
        case .skip: .skip
        case .complete: .complete
        case .rest: .rest
        case .addTime: .addTime(.seconds(300))
        case .stop: .stop
        case .undo: .undo
        }
    }

    /// The answer that a click on the line gives, or nil if the line is none.
    package var answer: AbsenceAnswer? {
        switch self {
        case .keepTime: .keep
        case .dropTime: .drop
        case .pauseThen: .pause
        default: nil
        }
    }

    /// Whether the line only divides others.
    package var isSeparator: Bool { self == .firstSeparator || self == .lastSeparator }

    /// Whether the line can be clicked.
    package var isEnabled: Bool { interaction != nil || answer != nil || self == .openPage }
}
