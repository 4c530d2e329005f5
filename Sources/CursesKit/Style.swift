/// How a cell looks beside its text.
package struct Style: Hashable, Sendable {
    /// The text's colour; nil for the terminal's own.
    package var colour: Colour?
    /// Heavier, or in a brighter colour: each terminal has its own way.
    package var isBold = false
    /// Fainter, where the terminal can.
    package var isDim = false
    /// Text and background exchanged.
    package var isReversed = false
    /// With a line below the text.
    package var isUnderlined = false

    /// A style; as the terminal writes by itself where nothing else is said.
    ///
    /// - Parameter colour: the text's; nil for the terminal's own.
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

    /// Which colours of `Style` it shows as they are meant.
    package var colours: Colours
    /// Whether more than ASCII can be shown.
    package var isUnicode: Bool

    /// A terminal that can show this.
    package init(colours: Colours, isUnicode: Bool) {
        self.colours = colours
        self.isUnicode = isUnicode
    }
}
