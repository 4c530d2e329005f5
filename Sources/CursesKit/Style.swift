import CNCurses

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

/// The colours of a terminal, as ncurses wants them: in pairs of text and background.
final class ColourPairs {
    /// Which colours there are.
    let colours: Capabilities.Colours
    private var pairs: [Colour: Int32] = [:]
    private let curses: lockstep_curses

    /// Nil where the terminal has none.
    init?(_ curses: lockstep_curses) {
        guard curses.has_colors(), curses.start_color() == OK else { return nil }
        self.curses = curses
        // So that the background stays the terminal's own.
        _ = curses.use_default_colors()
        switch curses.COLORS.pointee {
        case (1 << 24)... where curses.tigetflag("RGB") > 0: colours = .exact
        case 256...: colours = .palette
        case 16...: colours = .sixteen
        case 8...: colours = .eight
        default: return nil
        }
    }

    /// The pair with this colour of text; 0 for the terminal's own.
    func pair(for colour: Colour?) -> Int32 {
        guard let colour else { return 0 }
        if let pair = pairs[colour] { return pair }
        let pair = Int32(pairs.count + 1)
        guard curses.init_extended_pair(pair, number(of: colour), -1) == OK else { return 0 }
        pairs[colour] = pair
        return pair
    }

    private func number(of colour: Colour) -> Int32 {
        switch colour {
        case .palette(let number): Int32(number)
        case .exact(let red, let green, let blue): Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
        }
    }
}
