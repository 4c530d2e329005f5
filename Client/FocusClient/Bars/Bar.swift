import CommandLineKit
import FocusCore
package import FocusDevice
import FocusFront
import FocusScreen
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
    /// How the laptop stands to the others, and what else is the matter.
    let remarks: [String]
    /// What is the matter, in few words; nil if nothing is.
    let trouble: String?
    /// The path of `focus`, for bars that start it.
    let program: String

    /// What every bar is told at one instant.
    ///
    /// - Parameters:
    ///   - troubles: what is the matter with the laptop or its log.
    ///   - program: the path of `focus`, for bars that start it.
    package init(_ status: DeviceStatus, _ troubles: [Trouble], program: String) {
        shown = status.presentation
        state = TimerState(status.state, at: status.now).statusName
        let sharing = ViewText.sharing(shown.sharing, at: status.now).long
        remarks = [sharing] + (status.isCutOff ? [] : [ViewText.trouble(status, troubles)].compactMap(\.self))
        trouble = ViewText.trouble(status, troubles).map {
            status.isCutOff && status.pending > 0 ? "\($0), \(status.pending) to send" : $0
        }
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
    var clock: String { "\(shown.stateWords) \(shown.clockWithAdded)" }

    /// The label, and what is the matter in parentheses, each behind a space; nothing if there is neither. JSON carries
    /// every character to the bar, so those that would garble the rest of the bar are replaced here.
    func rest(_ escape: (String) -> String) -> String {
        [shown.label, trouble.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }
            .map { " \(escape(TerminalText.data($0)))" }
            .joined()
    }
}

extension BarFrame {
    /// A line with Polybar's formatting tags.
    var polybar: String {
        // A tag can't be escaped, so one that changes nothing is put between its sign and its brace.
        let escape = { (text: String) in text.replacing(each: "%{", by: "%%{F-}{") }
        return "%{F\(shown.hex)}\(clock)%{F-}\(rest(escape))"
    }

    /// A block as i3bar's protocol has it.
    var i3blocks: JSON {
        .object([
            JSON.Member("full_text", .string(clock + rest { $0 })),
            JSON.Member("short_text", .string(shown.clock)),
            JSON.Member("color", .string(shown.hex)),
            // So that the label is taken for no markup, whatever the block says.
            JSON.Member("markup", .string("none")),
        ])
    }

    /// A line with tmux's styles. tmux takes what it runs for a format.
    var tmux: String { "#[fg=\(shown.hex)]\(clock)#[default]\(rest(BarFrame.tmuxEscaped))" }

    /// Text that tmux shows as it is. It halves signs `#` twice, on expanding and, rounding up, on drawing; but those
    /// before a `[` on drawing alone.
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
    /// An object as waybar-custom(5) has it. Text and tooltip are Pango markup.
    var waybar: JSON {
        .object([
            JSON.Member("text", .string(BarFrame.markup(clock) + rest(BarFrame.markup))),
            JSON.Member("alt", .string(state)),
            JSON.Member("tooltip", .string(BarFrame.markup(tooltip))),
            JSON.Member("class", .array(classes.map(JSON.string))),
            JSON.Member("percentage", .integer(min(100, max(0, Int(shown.progress * 100))))),
        ])
    }

    private var classes: [String] { [shown.theme.rawValue, state] + (trouble == nil ? [] : ["trouble"]) }

    private var tooltip: String {
        let dots = shown.cycles.map(\.sign).joined(separator: " ")
        let lines = ([clock, shown.label, dots] + remarks).filter { !$0.isEmpty }
        return TerminalText.data(lines.joined(separator: "\n"))
    }

    /// Text as Pango markup shows it as it is.
    static func markup(_ text: String) -> String {
        text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;"])
    }
}

extension BarFrame {
    /// What SwiftBar parts the frames of a stream by: it shows what came after the last one.
    static let streamSeparator = "~~~\n"

    /// The menu bar's title, and the menu below it.
    var swiftbar: String {
        var lines = ["\(clock) | color=\(shown.hex) \(BarFrame.plain)", "---"]
        if !shown.label.isEmpty { lines.append(BarFrame.item("Label: \(shown.label)")) }
        lines += remarks.map(BarFrame.item)
        lines.append("---")
        lines.append(action(shown.mainButton.rawValue, ["toggle"]))
        if shown.offers.contains(.skip) { lines.append(action("Skip", ["skip"])) }
        if shown.offers.contains(.addTime) { lines.append(action("Add 5 minutes", ["add", "5m"])) }
        if shown.offers.contains(.stop) { lines.append(action("Stop", ["stop"])) }
        if shown.offers.contains(.undo) { lines.append(action("Undo", ["undo"])) }
        return lines.joined(separator: "\n")
    }

    /// Neither `:mushroom:` nor `:sun.max:` becomes a picture.
    private static let plain = "emojize=false symbolize=false"

    /// A line of the menu that says something. What would end its text, its line or the frame can't be escaped, so it
    /// is written with signs that look alike.
    private static func item(_ text: String) -> String {
        let text = text.replacing(["|": "\u{A6}", "\\": "\u{2216}"])
        // What is left of a longer row of them makes three again with the one before it.
        let parted = text.replacing(each: "~~~", by: "~ ~ ~").replacing(each: "~~~", by: "~ ~ ~")
        return "\(parted) | \(plain)"
    }

    private func action(_ title: String, _ words: [String]) -> String {
        let parameters = words.enumerated().map { "param\($0.offset + 1)=\($0.element)" }.joined(
            separator: " ")
        return "\(title) | bash=\"\(program)\" \(parameters) terminal=false"
    }
}
