import CursesKit
package import FocusCore
package import SystemKit

/// Puts colour on text, or leaves it as it is.
package enum Paint: Sendable {
    case plain
    /// The colours that every terminal with colour has.
    case eight
    /// The palette of 256.
    case palette
    /// Any colour of sRGB.
    case exact

    /// The text in the theme's colour.
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

    private var colours: Capabilities.Colours {
        switch self {
        case .plain: .none
        case .eight: .eight
        case .palette: .palette
        case .exact: .exact
        }
    }

    /// How text written to standard output is coloured: on a terminal that has colours, and never with a non-empty
    /// NO_COLOR (no-color.org).
    ///
    /// It goes by the terminal's name, so that a command needn't look for the terminal's description. A terminal that
    /// is given more colours than it has may blink, or show none.
    package static func forOutput(isTerminal: Bool, _ environment: Environment) -> Paint {
        guard isTerminal, environment["NO_COLOR"] == nil, let type = environment["TERM"], type != "dumb",
            !type.hasPrefix("vt")
        else { return .plain }
        let isExact = ["truecolor", "24bit"].contains(environment["COLORTERM"]) || type.hasSuffix("-direct")
        if isExact { return .exact }
        return type.hasSuffix("-256color") ? .palette : .eight
    }
}

/// The colours of a frame, as far as the terminal has them.
struct Palette {
    let colours: Capabilities.Colours

    /// Text in the theme's hue (docs/timer-rules.md §7), as dark as it takes: the ground may be white or black, and
    /// text has 4.5:1 against both (WCAG 2.2, 1.4.3). With eight or sixteen colours the terminal says what red and
    /// green are.
    func theme(_ theme: Presentation.Theme, bold: Bool = false) -> Style {
        let isWork = theme == .work
        let colour: Colour? =
            switch colours {
            case .none: nil
            case .eight, .sixteen: .palette(isWork ? 1 : 2)
            // Those that come closest.
            case .palette: .palette(isWork ? 131 : 29)
            case .exact:
                isWork
                    ? .exact(red: 0xDE, green: 0x2A, blue: 0x54) : .exact(red: 0x41, green: 0x82, blue: 0x61)
            }
        return Style(colour, bold: bold)
    }
}
