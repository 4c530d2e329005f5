package import CommandLineKit
import FocusCore
import FocusText
import FocusWords

/// A text with fields in braces, which `status --format` fills in: `{clock} {label}`.
package struct StatusFormat: Hashable, Sendable {
    /// What a field in braces stands for.
    package enum Field: String, CaseIterable, Sendable {
        case clock, seconds, added, status, state, activity, button, label, ordinal, cycles, theme, colour
    }

    private enum Part: Hashable {
        case text(String)
        case field(Field)
    }

    private var parts: [Part] = []

    /// What the fields are, for help.
    static let help = [
        "In --format, {clock} is the time left (24:13), {seconds} the same as a number; {added} is how much was "
            + "added to the phase (+5m) or taken from it (-2m); {status} is what is shown (Work paused), {state} is running, paused or stopped, {activity} is work, shortBreak or longBreak; "
            + "{button} is what toggle would do; {label} names the work; {ordinal} counts phases from 0 and "
            + "{cycles} the breaks that have ended; {theme} is work or break, and {colour} its colour (#E44F72). "
            + "{{ and }} are braces."
    ]

    /// The format that `text` spells out; throws what is wrong with it.
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
                parts.append(.field(try StatusFormat.field(String(rest[..<end]))))
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
                "has a field '{\(name)}' that there isn't." + Suggestion.sentence(for: name, among: names))
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

    /// The text with its fields filled in.
    package func text(_ view: StatusView) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): StatusFormat.value(of: field, in: view)
            }
        }.joined()
    }

    private static func value(of field: Field, in view: StatusView) -> String {
        let shown = view.presentation
        switch field {
        case .clock: return shown.clock
        case .seconds: return "\(shown.secondsLeft)"
        case .added: return shown.addedText ?? ""
        case .status: return shown.statusLabel.rawValue
        case .state: return view.timer.statusName
        case .activity: return (view.timer.run?.activity ?? .work).rawValue
        case .button: return shown.mainButton.rawValue
        case .label: return shown.label
        case .ordinal: return "\(view.timer.run?.ordinal ?? 0)"
        case .cycles: return "\(view.timer.run?.completedCycles ?? 0)"
        case .theme: return shown.theme.rawValue
        case .colour: return shown.theme.hex
        }
    }
}

extension ValueKind where Value == StatusFormat {
    /// A text with fields in braces.
    static var statusFormat: ValueKind {
        ValueKind(name: "F") { word throws(ValueProblem) in try StatusFormat(word) }
    }
}
