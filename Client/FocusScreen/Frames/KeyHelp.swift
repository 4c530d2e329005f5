import CursesKit
import FocusCore

/// The keys with their effects, for people: the help and the manual are made from it.
package enum KeyHelp {
    /// The keys for one subject.
    package struct Section {
        /// The subject.
        package let title: String
        /// Each key, or several that belong together, with its effect.
        package let keys: [(key: String, effect: String)]
    }

    /// All keys, by subject.
    package static let sections = [
        Section(
            title: "The timer, on every screen",
            keys: [
                ("space", "start, pause or resume"), ("s", "skip to the next phase"),
                ("x", "stop the session"), ("D", "the work is done, count it"), ("B", "a break now"),
                ("+ -", "a minute more, or less"),
                ("l", "name the work, or start it"),
                ("--for --at", "with a start: length, time"),
                ("L", "the same, in Statistics too"), ("u U", "undo, redo"),
                ("● ◉ ○", "over or skipped, now, ahead, until the long break"),
            ]),
        Section(
            title: "Timer, when it asks about time away",
            keys: [
                ("k", "keep that time"), ("t", "take it out"), ("p", "pause the session as of then"),
            ]),
        Section(
            title: "Getting around",
            keys: [
                ("1-5 Tab", "the screens"), ("arrows j k", "select"), ("PgUp PgDn", "a page up, down"),
                ("Ctrl-U -D", "half a page up, down"), ("g G", "the first, the last"),
                ("/", "find in the history"), ("?", "these keys"), ("Ctrl-L", "redraw the screen"),
                ("Ctrl-Z", "to the shell for a while"), ("q Ctrl-C", "leave; the session goes on"),
            ]),
        Section(
            title: "History",
            keys: [
                ("a", "add what was done without the timer"), ("e Enter", "another label for the entry"),
                ("t", "when it was: other times"), ("p", "split it in two"),
                ("d", "remove the entry"), ("Esc", "show all of it after finding"),
                ("✓ » ×", "completed, skipped, stopped"), ("long", "a long break"),
            ]),
        Section(
            title: "Statistics",
            keys: [
                ("h l", "the chart before, the next"), ("j k", "in Year: the year before, after"),
                ("r", "in Hours, Labels and Tags: other days"), ("✓", "the goal was met"),
            ]),
        Section(
            title: "Settings",
            keys: [("Enter", "change the selected setting"), ("d", "remove the saved profile in use")]),
        Section(
            title: "Devices",
            keys: [
                ("i", "invite another laptop"), ("e Enter", "rename this laptop"),
                ("d", "shut the selected one out"), ("b", "take that back"),
                ("a", "accept one that waits"),
                ("S", "share from this laptop"), ("J", "join a group with an invite"),
                ("p", "leave the group"),
            ]),
    ]

    /// A line of the help.
    package enum Line {
        case title(String)
        case key(String, String)
        case blank
    }

    static let lines: [Line] = sections.flatMap { section in
        [.title(section.title)] + section.keys.map { Line.key($0.key, $0.effect) } + [.blank]
    }.dropLast()

    static var lineCount: Int { lines.count }

    /// The message after a key that does nothing.
    package static let hint = "This key does nothing here: ? shows the keys."
}

/// The help, as a list of keys and effects.
struct HelpFrame {
    /// The first line to show.
    let top: Int
    let layout: Layout

    private static let keyColumn = 2
    private static let effectColumn = 13

    func draw(on canvas: inout Canvas) {
        canvas.write(" Keys ", 0, 0, Style(bold: true, reversed: true))
        let lines = KeyHelp.lines
        let first = max(0, min(top, lines.count - layout.listHeight))
        for (index, line) in lines.dropFirst(first).prefix(layout.listHeight).enumerated() {
            let row = layout.top + index
            switch line {
            case .title(let title): canvas.write(" \(title)", row, 0, Style(bold: true))
            case .key(let key, let effect):
                canvas.write(key, row, HelpFrame.keyColumn, canvas.palette.theme(.work, bold: true))
                canvas.write(effect, row, HelpFrame.effectColumn)
            case .blank: break
            }
        }
        let isAll = lines.count <= layout.listHeight
        let hint = isAll ? "any key closes" : "j k scroll, any other key closes"
        canvas.write(" \(hint)", canvas.size.rows - 1, 0)
    }
}
