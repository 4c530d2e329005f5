import CommandLineKit
import FocusCore
package import FocusDevice
import FocusFront
import FocusScreen
import FocusText

/// A status bar that `focus status --bar` can write for. Each has its own format (docs/bars).
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

/// The content of a status bar at one instant.
package struct BarFrame: Hashable, Sendable {
    /// The timer as every front end shows it.
    let shown: Presentation
    /// `running`, `paused`, `waiting` or `stopped`.
    let state: String
    /// The end of the phase in words, such as `until 14:25`; nil if the timer is stopped.
    let end: String?
    /// The open question, the last press if another laptop made it lately, the sentence about the laptop's
    /// connection to the others, and the trouble. If the laptop is cut off, the sentence already says so, and
    /// the trouble is left out.
    let remarks: [String]
    /// The trouble, in a few words; nil if there is none.
    let trouble: String?
    /// The path of `focus`, for bars that start it.
    let program: String

    /// Makes the content of a bar from the device's status.
    ///
    /// - Parameters:
    ///   - troubles: The troubles of the laptop and its log.
    ///   - program: The path of `focus`, for bars that start it.
    package init(_ status: DeviceStatus, _ troubles: [Trouble], program: String) {
        shown = status.presentation
        state = TimerState(status.state, at: status.now).statusName
        end = shown.endText(by: .current)
        let sharing = ViewText.sharing(shown.sharing, at: status.now).long
        let remarks: [String?] = [
            status.question?.words(), shown.press?.text(), sharing,
            status.isCutOff ? nil : ViewText.trouble(status, troubles),
        ]
        self.remarks = remarks.compactMap(\.self)
        trouble = ViewText.trouble(status, troubles).map {
            status.isCutOff && status.pending > 0 ? "\($0), \(status.pending) to send" : $0
        }
        self.program = program
    }

    /// Returns one frame in the bar's format, without its last newline.
    package func text(for bar: Bar) -> String {
        switch bar {
        case .waybar: waybar.description
        case .polybar: polybar
        case .i3blocks: i3blocks.description
        case .tmux: tmux
        case .swiftbar: swiftbar
        }
    }

    /// The first part in every bar: `Work 24:13`, or `Work 24:13 +5m`.
    var clock: String { "\(shown.stateWords) \(shown.clockWithAdded)" }

    /// The first part with the end of the phase, for bars that show it nowhere else: `Work 24:13 +5m until 14:25`.
    var clockWithEnd: String { end.map { "\(clock) \($0)" } ?? clock }

    /// Returns the label, and the trouble in parentheses, each after a space; empty if there is neither. JSON
    /// passes every character to the bar, so characters that would garble the rest of the bar are replaced
    /// here.
    func labelAndTrouble(_ escape: (String) -> String) -> String {
        [shown.label, trouble.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }
            .map { " \(escape(TerminalText.data($0)))" }
            .joined()
    }
}

extension BarFrame {
    /// A line with Polybar's formatting tags.
    var polybar: String {
        // Polybar has no escape for `%{`. The tag `%{F-}`, which has no effect here, separates the two
        // characters.
        let escape = { (text: String) in text.replacing(each: "%{", by: "%%{F-}{") }
        return "%{F\(shown.hex)}\(clockWithEnd)%{F-}\(labelAndTrouble(escape))"
    }

    /// A block in i3bar's protocol.
    var i3blocks: JSON {
        .object([
            JSON.Member("full_text", .string(clockWithEnd + labelAndTrouble { $0 })),
            JSON.Member("short_text", .string(shown.clock)),
            JSON.Member("color", .string(shown.hex)),
            // Keeps the label from being read as markup, regardless of the block's own setting.
            JSON.Member("markup", .string("none")),
        ])
    }

    /// A line with tmux's styles. tmux reads the output of a program as a format.
    var tmux: String {
        "#[fg=\(shown.hex)]\(clockWithEnd)#[default]\(labelAndTrouble(BarFrame.tmuxEscaped))"
    }

    /// Returns text that tmux shows unchanged. tmux halves each run of `#` when it expands the format. When it
    /// draws, it halves the run again, and rounds up. A run before `[` is halved only when tmux draws.
    private static func tmuxEscaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let next = rest.first {
            let signs = rest.prefix { $0 == "#" }
            rest = rest.dropFirst(max(1, signs.count))
            if signs.isEmpty {
                escaped.append(next)
            } else {
                let count = rest.first == "[" ? 2 * signs.count : 4 * signs.count - 2
                escaped.append(contentsOf: repeatElement("#", count: count))
            }
        }
        return String(escaped)
    }
}

extension BarFrame {
    /// A JSON object as described in waybar-custom(5). Text and tooltip are Pango markup.
    var waybar: JSON {
        .object([
            JSON.Member("text", .string(BarFrame.markup(clock) + labelAndTrouble(BarFrame.markup))),
            JSON.Member("alt", .string(state)),
            JSON.Member("tooltip", .string(BarFrame.markup(tooltip))),
            JSON.Member("class", .array(classes.map(JSON.string))),
            JSON.Member("percentage", .integer(min(100, max(0, Int(shown.progress * 100))))),
        ])
    }

    private var classes: [String] { [shown.theme.rawValue, state] + (trouble == nil ? [] : ["trouble"]) }

    private var tooltip: String {
        let dots = shown.cycles.map(\.sign).joined(separator: " ")
        let lines = ([clockWithEnd, shown.label, dots] + remarks).filter { !$0.isEmpty }
        return TerminalText.data(lines.joined(separator: "\n"))
    }

    /// Returns Pango markup that shows `text` unchanged.
    static func markup(_ text: String) -> String {
        text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;"])
    }
}

extension BarFrame {
    /// The separator of frames in SwiftBar's stream. SwiftBar shows the lines after the last separator.
    static let streamSeparator = "~~~\n"

    /// The title in the menu bar, and the menu below it.
    var swiftbar: String {
        var lines = ["\(clock) | color=\(shown.hex) \(BarFrame.plain)", "---"]
        if let end { lines.append(BarFrame.item(end.prefix(1).uppercased() + end.dropFirst())) }
        if !shown.label.isEmpty { lines.append(BarFrame.item("Label: \(shown.label)")) }
        lines += remarks.map(BarFrame.item)
        lines.append("---")
        lines.append(action(shown.mainButton.rawValue, ["toggle"]))
        if shown.offers.contains(.skip) { lines.append(action("Skip", ["skip"])) }
        if shown.offers.contains(.complete) { lines.append(action("Done", ["done"])) }
        if shown.offers.contains(.rest) { lines.append(action("Break", ["break"])) }
        if shown.offers.contains(.addTime) { lines.append(action("Add 5 minutes", ["add", "5m"])) }
        if shown.offers.contains(.stop) { lines.append(action("Stop", ["stop"])) }
        if shown.offers.contains(.undo) { lines.append(action("Undo", ["undo"])) }
        return lines.joined(separator: "\n")
    }

    /// The parameters that keep `:mushroom:` and `:sun.max:` from becoming pictures.
    private static let plain = "emojize=false symbolize=false"

    /// Returns a line of the menu that isn't an action. A character that would end the text, the line or the
    /// frame can't be escaped, so a similar one replaces it.
    private static func item(_ text: String) -> String {
        let text = text.replacing(["|": "\u{A6}", "\\": "\u{2216}"])
        // Two passes, because the first one turns `~~~~~` into `~ ~ ~~~`.
        let separated = text.replacing(each: "~~~", by: "~ ~ ~").replacing(each: "~~~", by: "~ ~ ~")
        return "\(separated) | \(plain)"
    }

    private func action(_ title: String, _ words: [String]) -> String {
        let parameters = words.enumerated().map { "param\($0.offset + 1)=\($0.element)" }.joined(
            separator: " ")
        return "\(title) | bash=\"\(program)\" \(parameters) terminal=false"
    }
}
