package import FocusCore

/// Puts colour on text, or leaves it as it is.
package enum Paint: Sendable {
    case plain
    case colour

    /// The text in the theme's colour.
    package func coloured(_ text: String, _ theme: Presentation.Theme) -> String {
        guard self == .colour else { return text }
        let rgb = theme.rgb
        return "\u{1B}[38;2;\(rgb.red);\(rgb.green);\(rgb.blue)m\(text)\u{1B}[0m"
    }

    /// Whether text written to standard output is coloured: on a terminal that isn't dumb, and never with a
    /// non-empty NO_COLOR (no-color.org).
    package static func forOutput(isTerminal: Bool, _ environment: Environment) -> Paint {
        isTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb" ? .colour : .plain
    }
}
