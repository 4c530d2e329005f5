import CursesKit
import FocusCore

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
