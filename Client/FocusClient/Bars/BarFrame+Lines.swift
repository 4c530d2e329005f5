import FocusCore
import FocusText

extension BarFrame {
    /// A line with Polybar's formatting tags.
    var polybar: String {
        // A tag can't be escaped, so one that changes nothing is put between its sign and its brace.
        let escape = { (text: String) in
            text.split(separator: "%{", omittingEmptySubsequences: false).joined(separator: "%%{F-}{")
        }
        return "%{F\(shown.theme.hex)}\(clock)%{F-}\(label(escape))"
    }

    /// A block as i3bar's protocol has it.
    var i3blocks: JSON {
        .object([
            JSON.Member("full_text", .string(clock + label { $0 })),
            JSON.Member("short_text", .string(shown.clock)),
            JSON.Member("color", .string(shown.theme.hex)),
            // So that the label is taken for no markup, whatever the block says.
            JSON.Member("markup", .string("none")),
        ])
    }

    /// A line with tmux's styles. tmux takes what it runs for a format.
    var tmux: String { "#[fg=\(shown.theme.hex)]\(clock)#[default]\(label(BarFrame.tmuxEscaped))" }

    /// Text that tmux shows as it is. It halves signs `#` twice, on expanding and, rounding up, on drawing; but those
    /// before a `[` on drawing alone.
    private static func tmuxEscaped(_ text: String) -> String {
        var escaped = ""
        var rest = Substring(text)
        while let next = rest.first {
            let signs = rest.prefix { $0 == "#" }
            rest = rest.dropFirst(max(1, signs.count))
            if signs.isEmpty {
                escaped.append(next)
            } else {
                let count = rest.first == "[" ? 2 * signs.count : 4 * signs.count - 2
                escaped += String(repeating: "#", count: count)
            }
        }
        return escaped
    }
}
