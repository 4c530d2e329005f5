import CursesKit
import FocusCore

/// The colours of a frame, as far as the terminal has them.
struct Palette {
    let colours: Capabilities.Colours

    /// Text in the theme's colour (docs/timer-rules.md §7).
    func theme(_ theme: Presentation.Theme, bold: Bool = false) -> Style {
        let rgb = theme.rgb
        let isWork = theme == .work
        let colour: Colour? =
            switch colours {
            case .none: nil
            case .eight, .sixteen: .palette(isWork ? 1 : 2)
            // Those that come closest.
            case .palette: .palette(isWork ? 168 : 72)
            case .exact: .exact(red: rgb.red, green: rgb.green, blue: rgb.blue)
            }
        return Style(colour, bold: bold)
    }
}
