/// How a cell looks beside its text.
package struct Style: Hashable, Sendable {
    /// The text's colour; nil for the terminal's own.
    package var colour: Colour?
    package var isBold = false
    package var isDim = false
    /// Text and background exchanged.
    package var isReversed = false
    package var isUnderlined = false

    package init(
        _ colour: Colour? = nil, bold: Bool = false, dim: Bool = false, reversed: Bool = false,
        underlined: Bool = false
    ) {
        self.colour = colour
        isBold = bold
        isDim = dim
        isReversed = reversed
        isUnderlined = underlined
    }

    /// As the terminal writes by itself.
    package static let plain = Style()
}

/// A colour of text.
package enum Colour: Hashable, Sendable {
    /// One of the terminal's palette, by its number: of 8, 16 or 256.
    case palette(UInt8)
    /// Exactly this one, in sRGB.
    case exact(red: UInt8, green: UInt8, blue: UInt8)
}

/// What a terminal can show.
package struct Capabilities: Hashable, Sendable {
    /// Which colours there are.
    package enum Colours: String, CaseIterable, Hashable, Sendable {
        case none, eight, sixteen
        /// The palette of 256.
        case palette
        /// Any colour of sRGB.
        case exact
    }

    package var colours: Colours
    /// Whether more than ASCII can be shown.
    package var isUnicode: Bool

    package init(colours: Colours, isUnicode: Bool) {
        self.colours = colours
        self.isUnicode = isUnicode
    }
}
