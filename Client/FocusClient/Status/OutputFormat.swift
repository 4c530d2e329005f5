package import CommandLineKit
package import FocusCore
import FocusFront
package import FocusScreen
package import FocusText

/// A form in which `status` shows the state.
package enum OutputFormat: Hashable, Sendable {
    /// One line for people.
    case line
    /// One JSON object.
    case json
    case format(StatusTemplate)
    /// The format of a status bar.
    case bar(Bar)

    /// Whether the form includes the laptop's troubles.
    var needsTroubles: Bool {
        switch self {
        case .line, .bar: true
        case .format(let format): format.fields.contains(.trouble)
        case .json: false
        }
    }

    /// The text before each output of `--follow`.
    var separator: String { self == .bar(.swiftbar) ? BarFrame.streamSeparator : "" }
}

/// A text with fields in braces, which `status --format` fills in: `{clock} {label}`.
package struct StatusTemplate: Hashable, Sendable {
    /// The meaning of a field in braces.
    package enum Field: String, CaseIterable, Sendable {
        case clock, seconds, added, ends, status, state, activity, button, label, ordinal, cycles, theme
        case colour, online, pending, by, trouble, idle
    }

    /// The values of fields about the laptop's group.
    package struct Group: Hashable, Sendable {
        let online: [String]
        let pending: UInt64
        let press: RecentPress?
        let trouble: String?
        let question: AbsenceQuestion?

        /// - Parameters:
        ///   - online: The names of the connected laptops.
        ///   - pending: The number of changes that the server hasn't acknowledged.
        ///   - press: The last press, if another laptop made it lately.
        ///   - trouble: The trouble, in a few words; nil if there is none.
        ///   - question: The open question about an absence; nil if there is none.
        package init(
            online: [String] = [], pending: UInt64 = 0, press: RecentPress? = nil, trouble: String? = nil,
            question: AbsenceQuestion? = nil
        ) {
            self.online = online
            self.pending = pending
            self.press = press
            self.trouble = trouble
            self.question = question
        }
    }

    private enum Part: Hashable {
        case text(String)
        case field(Field)
    }

    private var parts: [Part] = []

    /// The fields in the text.
    var fields: Set<Field> {
        Set(parts.compactMap { if case .field(let field) = $0 { field } else { nil } })
    }

    /// The description of the fields, for help.
    static let help = [
        "In --format, {clock} is the time left (24:13) or the overtime (+03:12), and {seconds} the time "
            + "left in seconds. {added} is the time added to the phase (+5m) or removed (-2m). {ends} is the "
            + "local time at which the phase ends (14:25), or would end if it were resumed now; at which it "
            + "begins if it is waiting for that; since when overtime runs. {status} is the state in words (Work, "
            + "Work paused, Stopped). {state} is running, paused, waiting or stopped. {activity} is work, "
            + "shortBreak or longBreak. {button} is what toggle would do, {label} the name of the work. {ordinal} "
            + "is the phase's number in the session: 0 for the first work, 1 for the break after it. {cycles} is "
            + "the number of breaks that have ended. {theme} is work or break, {colour} the state's colour "
            + "(#E44F72). {online} has the names of the connected laptops, {pending} the number of changes to "
            + "send. {by} says for 10 minutes on which other laptop the last press was made (Paused by work, 2 "
            + "min ago). {trouble} is the present problem (Offline since 14:05). {idle} is the time about which "
            + "'focus idle' asks (Away 10:05-10:47 (42m)). {{ and }} are braces."
    ]

    /// Parses a format. Throws the error in it.
    package init(_ text: String) throws(ValueProblem) {
        var rest = Substring(text)
        while let next = rest.popFirst() {
            switch next {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest = rest.dropFirst()
                append(next)
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw ValueProblem("has a '{' without its '}'")
                }
                parts.append(.field(try StatusTemplate.field(String(rest[..<end]))))
                rest = rest[rest.index(after: end)...]
            case "}":
                throw ValueProblem("has a '}' without its '{'; a brace itself is written '}}'")
            default:
                append(next)
            }
        }
    }

    private static func field(_ name: String) throws(ValueProblem) -> Field {
        guard let field = Field(rawValue: name) else {
            let names = Field.allCases.map(\.rawValue)
            throw ValueProblem(
                "has an unknown field '{\(name)}'." + Suggestion.sentence(for: name, among: names))
        }
        return field
    }

    private mutating func append(_ character: Character) {
        if case .text(let text) = parts.last {
            parts[parts.count - 1] = .text(text + String(character))
        } else {
            parts.append(.text(String(character)))
        }
    }

    /// Returns the text with its fields filled in.
    package func text(_ view: StatusView, _ group: Group = Group()) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): StatusTemplate.value(of: field, in: view, group)
            }
        }.joined()
    }

    private static func value(of field: Field, in view: StatusView, _ group: Group) -> String {
        let shown = view.presentation
        switch field {
        case .clock: return shown.clock
        case .seconds: return "\(shown.secondsLeft)"
        case .added: return shown.addedText ?? ""
        case .ends: return view.endClock ?? ""
        case .status: return shown.stateWords
        case .state: return view.timer.statusName
        case .activity: return (view.timer.run?.activity ?? .work).rawValue
        case .button: return shown.mainButton.rawValue
        case .label: return shown.label
        case .ordinal: return "\(view.timer.run?.ordinal ?? 0)"
        case .cycles: return "\(view.timer.run?.completedCycles ?? 0)"
        case .theme: return shown.theme.rawValue
        case .colour: return shown.hex
        case .online: return group.online.joined(separator: ", ")
        case .pending: return "\(group.pending)"
        case .by: return group.press?.text() ?? ""
        case .trouble: return group.trouble ?? ""
        case .idle: return group.question?.words() ?? ""
        }
    }
}

extension ArgumentType where Value == StatusTemplate {
    /// A text with fields in braces.
    static var statusFormat: ArgumentType {
        ArgumentType(name: "F") { word throws(ValueProblem) in try StatusTemplate(word) }
    }
}

/// The state at an instant, as the commands show it.
package struct StatusView: Hashable, Sendable {
    /// The timer at that instant.
    package let timer: TimerState
    /// The presentation of the timer, as every front end draws it.
    package let presentation: Presentation
    /// The time of day at which the phase ends or would end; nil if the timer is stopped.
    let endClock: String?
    /// The same in words: `until 14:25`.
    let endText: String?
    /// The remark about a stopped timer; nil if it isn't stopped.
    private let stoppedText: String?

    /// Makes the view of `state` at `now`.
    ///
    /// - Parameter clocks: The time zone of the times in the view.
    package init(_ state: ReplayState, at now: SharedInstant, by clocks: LocalZone) {
        timer = TimerState(state, at: now)
        presentation = Presentation(timer)
        endClock = presentation.endClock(by: clocks)
        endText = presentation.endText(by: clocks)
        let closed = state.closedByItself(by: now)
        stoppedText =
            if presentation.showsStop {
                nil
            } else if let closed, now - closed.at < .seconds(86_400) {
                "(stopped by itself at \(SinceText.text(closed.at, at: now, by: clocks)), untouched since "
                    + "\(SinceText.text(closed.touchedAt, at: now, by: clocks)))"
            } else {
                "(stopped)"
            }
    }

    /// Returns one line for people: `Work  24:13 +5m  until 14:25  Write`. A state that these parts don't
    /// show is added in words, such as `(stopped)`.
    ///
    /// - Parameter press: The last press, if another laptop made it lately; it ends the line.
    package func line(_ paint: TextColouring, press: RecentPress? = nil) -> String {
        var parts = [
            paint.coloured(presentation.statusLabel.rawValue, presentation.theme),
            presentation.clockWithAdded,
        ]
        if let endText { parts.append(endText) }
        if !presentation.label.isEmpty { parts.append(presentation.label) }
        switch timer.status {
        case .stopped: if let stoppedText { parts.append(stoppedText) }
        case .paused where presentation.mainButton == .start: parts.append("(waits to be started)")
        case .waiting, .paused, .running: break
        }
        if let press { parts.append(paint.dimmed(press.text())) }
        return parts.joined(separator: "  ")
    }
}

extension Presentation {
    /// The state of the timer in words that tell whether it runs: `Work`, `Work paused`, `Break waits`,
    /// `Stopped`.
    package var stateWords: String {
        if !showsStop { return "Stopped" }
        return !isRunning && mainButton == .start ? "\(statusLabel.rawValue) waits" : statusLabel.rawValue
    }

    /// The colour of the state, as `#E44F72`: the theme's while the timer runs, another one while it doesn't.
    package var hex: String {
        if isRunning { return theme.hex }
        return showsStop ? "#D9962B" : "#8C8C8C"
    }
}

extension Presentation.Theme {
    /// The theme's colour as `#E44F72`.
    fileprivate var hex: String {
        let rgb = rgb
        return "#"
            + [rgb.red, rgb.green, rgb.blue].map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true)
            }
            .joined()
    }
}
