import FocusCore
import FocusFront
import FocusWords

extension BarFrame {
    /// What SwiftBar parts the frames of a stream by: it shows what came after the last one.
    static let streamSeparator = "~~~\n"

    /// The menu bar's title, and the menu below it.
    var swiftbar: String {
        var lines = ["\(clock) | color=\(shown.theme.hex) \(BarFrame.plain)", "---"]
        if !shown.label.isEmpty { lines.append(BarFrame.item("Label: \(shown.label)")) }
        lines.append(BarFrame.item(ViewText.sharing(shown.sharing).long))
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
        return
            "\(text.split(separator: "~~~", omittingEmptySubsequences: false).joined(separator: "~ ~ ~")) | \(plain)"
    }

    private func action(_ title: String, _ words: [String]) -> String {
        let parameters = words.enumerated().map { "param\($0.offset + 1)=\($0.element)" }.joined(
            separator: " ")
        return "\(title) | bash=\"\(program)\" \(parameters) terminal=false"
    }
}
