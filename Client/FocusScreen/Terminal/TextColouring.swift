import CursesKit
package import FocusCore
package import SystemKit

/// Adds colour to text, or leaves it plain.
package enum TextColouring: Sendable {
    case plain
    /// The eight colours that every terminal with colours has.
    case eight
    /// The palette of 256.
    case palette
    /// Any colour of sRGB.
    case exact

    /// Returns the text in the theme's colour.
    package func coloured(_ text: String, _ theme: Presentation.Theme) -> String {
        guard let colour = Palette(colours: colours).theme(theme).colour else { return text }
        let code =
            switch colour {
            case .palette(let number) where number < 8: "3\(number)"
            case .palette(let number): "38;5;\(number)"
            case .exact(let red, let green, let blue): "38;2;\(red);\(green);\(blue)"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    /// Returns the text dimmed, or plain if there are no colours.
    package func dimmed(_ text: String) -> String {
        if case .plain = self { return text }
        return "\u{1B}[2m\(text)\u{1B}[0m"
    }

    private var colours: Capabilities.Colours {
        switch self {
        case .plain: .none
        case .eight: .eight
        case .palette: .palette
        case .exact: .exact
        }
    }

    /// Returns the colouring for standard output. It is plain without a terminal that has colours, or if
    /// NO_COLOR is not empty (no-color.org). Only environment variables are read, so that a command needn't
    /// load the terminal's description. More than eight colours are used only if a variable promises them,
    /// because text in a colour that the terminal doesn't know may blink or be invisible.
    package static func forOutput(isTerminal: Bool, _ environment: Environment) -> TextColouring {
        // Terminals like `vt100` and `vt220` count as having no colours.
        guard isTerminal, environment["NO_COLOR"] == nil, let type = environment["TERM"], type != "dumb",
            !type.hasPrefix("vt")
        else { return .plain }
        let isExact = TerminalType.hasExactColours(environment) || type.hasSuffix("-direct")
        if isExact { return .exact }
        return type.hasSuffix("-256color") ? .palette : .eight
    }
}

/// The colours of a frame, within the terminal's range.
struct Palette {
    let colours: Capabilities.Colours

    /// Returns a style in the theme's hue (docs/timer-rules.md §7). The colour has a contrast of 4.5:1
    /// against both white and black (WCAG 2.2, 1.4.3). With 8 or 16 colours, the terminal's own red and green
    /// are used.
    func theme(_ theme: Presentation.Theme, bold: Bool = false) -> Style {
        let isWork = theme == .work
        let colour: Colour? =
            switch colours {
            case .none: nil
            case .eight, .sixteen: .palette(isWork ? 1 : 2)
            // The nearest colours of the palette.
            case .palette: .palette(isWork ? 131 : 29)
            case .exact:
                isWork
                    ? .exact(red: 0xDE, green: 0x2A, blue: 0x54) : .exact(red: 0x41, green: 0x82, blue: 0x61)
            }
        return Style(colour, bold: bold)
    }
}
