import CursesKit
package import FocusCore
import FocusDevice
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
    /// The chosen colours. If no background is chosen, it may be white or black.
    var appearance = Appearance()

    /// Returns a style in the theme's hue (docs/timer-rules.md §7). The colour has a contrast of 4.5:1
    /// against the background (WCAG 2.2, 1.4.3). With 8 or 16 colours, the terminal's own colours are used.
    func theme(_ theme: Presentation.Theme, bold: Bool = false) -> Style {
        let shade = Palette.shade(theme == .work ? appearance.accent : nil, appearance.background)
        let colour: Colour? =
            switch colours {
            case .none: nil
            case .eight, .sixteen: .palette(shade.basic)
            case .palette: .palette(shade.number)
            case .exact:
                .exact(
                    red: UInt8(truncatingIfNeeded: shade.rgb >> 16),
                    green: UInt8(truncatingIfNeeded: shade.rgb >> 8),
                    blue: UInt8(truncatingIfNeeded: shade.rgb))
            }
        return Style(colour, bold: bold)
    }

    /// Returns the number of a colour among the terminal's basic 8, the number of the nearest one that suits
    /// in the palette of 256, and the colour in sRGB. Nil is the accent of breaks.
    private static func shade(
        _ accent: Appearance.Accent?, _ background: Appearance.Background
    ) -> (basic: UInt8, number: UInt8, rgb: UInt32) {
        switch (accent, background) {
        case (.red, .system): (1, 131, 0xDE2A54)
        case (.red, .light): (1, 125, 0xB3284C)
        case (.red, .dark): (1, 211, 0xFF8EA8)
        // No orange of the palette suits both white and black.
        case (.orange, .system): (3, 131, 0xBF561A)
        case (.orange, .light): (3, 130, 0x9C4308)
        case (.orange, .dark): (3, 215, 0xFFA66B)
        case (.violet, .system): (5, 98, 0x875FD1)
        case (.violet, .light): (5, 61, 0x6A3FB5)
        case (.violet, .dark): (5, 141, 0xC3A6FF)
        case (nil, .system): (2, 29, 0x418261)
        case (nil, .light): (2, 29, 0x2A6E4C)
        case (nil, .dark): (2, 115, 0x7FD0A6)
        }
    }
}
