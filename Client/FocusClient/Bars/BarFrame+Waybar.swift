import FocusCore
import FocusFront
import FocusScreen
import FocusText
import FocusWords

extension BarFrame {
    /// An object as waybar-custom(5) has it. Text and tooltip are Pango markup.
    var waybar: JSON {
        .object([
            JSON.Member("text", .string(BarFrame.markup(clock) + label(BarFrame.markup))),
            JSON.Member("alt", .string(state)),
            JSON.Member("tooltip", .string(BarFrame.markup(tooltip))),
            JSON.Member("class", .array([.string(shown.theme.rawValue), .string(state)])),
            JSON.Member("percentage", .integer(min(100, max(0, Int(shown.progress * 100))))),
        ])
    }

    private var tooltip: String {
        let dots = shown.cycles.map(\.sign).joined(separator: " ")
        return [clock, shown.label, dots, ViewText.sharing(shown.sharing).long].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// Text as Pango markup shows it as it is.
    static func markup(_ text: String) -> String {
        text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;"])
    }
}
