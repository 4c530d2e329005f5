import FocusCore

extension Presentation.Theme {
    /// The theme's colour as `#E44F72`.
    var hex: String {
        let rgb = rgb
        return "#"
            + [rgb.red, rgb.green, rgb.blue].map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true)
            }
            .joined()
    }
}
