extension Presentation {
    /// What a front end's colour follows. Colour never stands alone: the status label is shown too.
    package enum Theme: String, Hashable, Sendable {
        case work
        case rest = "break"

        /// The theme's colour in sRGB, each part in 0...1.
        package var colour: (red: Double, green: Double, blue: Double) {
            switch self {
            case .work: (0.8941176471, 0.3098039216, 0.4470588235)
            case .rest: (0.3215686275, 0.6470588235, 0.4823529412)
            }
        }

        /// The theme's colour as eight bits a part.
        package var rgb: (red: UInt8, green: UInt8, blue: UInt8) {
            switch self {
            case .work: (0xE4, 0x4F, 0x72)
            case .rest: (0x52, 0xA5, 0x7B)
            }
        }
    }
}
