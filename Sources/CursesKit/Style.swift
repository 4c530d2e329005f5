import CNCurses

/// The look of a cell's text.
package struct Style: Hashable, Sendable {
    /// The text's colour; nil for the terminal's default.
    package var colour: Colour?
    /// Heavier, or in a brighter colour, depending on the terminal.
    package var isBold = false
    /// Fainter, if the terminal supports it.
    package var isDim = false
    /// Text and background colours exchanged.
    package var isReversed = false
    /// Underlined.
    package var isUnderlined = false

    /// A style; without arguments, the terminal's default.
    ///
    /// - Parameter colour: The text's colour; nil for the terminal's default.
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

    /// The terminal's default.
    package static let plain = Style()
}

/// A colour of text.
package enum Colour: Hashable, Sendable {
    /// A colour of the terminal's palette of 8, 16 or 256, by its number.
    case palette(UInt8)
    /// An exact sRGB colour.
    case exact(red: UInt8, green: UInt8, blue: UInt8)
}

/// The colours and characters that a terminal can show.
package struct Capabilities: Hashable, Sendable {
    /// The ranges of colours.
    package enum Colours: String, CaseIterable, Hashable, Sendable {
        case none, eight, sixteen
        /// The palette of 256.
        case palette
        /// Any colour of sRGB.
        case exact
    }

    /// The range of colours that the terminal shows.
    package var colours: Colours
    /// Whether it can show more than ASCII.
    package var isUnicode: Bool

    /// A terminal with these capabilities.
    package init(colours: Colours, isUnicode: Bool) {
        self.colours = colours
        self.isUnicode = isUnicode
    }
}

/// A terminal's colours in the form that ncurses needs: pairs of text and background.
final class ColourPairs {
    /// The range of colours.
    let colours: Capabilities.Colours
    /// The numbers of the pairs made so far, by text colour.
    private var pairs: [Colour: Int32] = [:]
    /// The numbers of the palette's colours that were changed to exact ones. Nil if the terminal takes exact
    /// colours as they are.
    private var changed: [Colour: Int32]?
    private let curses: lockstep_curses

    /// Fails if the terminal has no colours.
    ///
    /// - Parameter areExact: Whether the terminal shows any colour of sRGB, although its description may name
    ///   only a palette. The palette is then changed until the screen is closed.
    init?(_ curses: lockstep_curses, areExact: Bool) {
        guard curses.has_colors(), curses.start_color() == OK else { return nil }
        self.curses = curses
        // Keeps the terminal's own background.
        _ = curses.use_default_colors()
        switch curses.COLORS.pointee {
        case (1 << 24)... where curses.tigetflag("RGB") > 0: colours = .exact
        case 256... where areExact && curses.can_change_color():
            colours = .exact
            changed = [:]
        case 256...: colours = .palette
        case 16...: colours = .sixteen
        case 8...: colours = .eight
        default: return nil
        }
    }

    /// Returns the number of the pair with this text colour; 0 for the terminal's default.
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
        case .exact(let red, let green, let blue):
            changed == nil
                ? Int32(red) << 16 | Int32(green) << 8 | Int32(blue) : change(to: colour, [red, green, blue])
        }
    }

    /// The steps of each component in the palette's colour cube, which begins at number 16.
    private static let steps: [Int32] = [0, 95, 135, 175, 215, 255]
    private static let cube: Range<Int32> = 16..<232

    /// Changes a colour of the palette, the nearest one that isn't changed yet, and returns its number. A
    /// terminal that ignores the change shows that colour.
    private func change(to colour: Colour, _ components: [UInt8]) -> Int32 {
        if let number = changed?[colour] { return number }
        let nearest = components.reduce(Int32(0)) { place, component in
            let step = ColourPairs.steps.indices.min {
                abs(ColourPairs.steps[$0] - Int32(component)) < abs(ColourPairs.steps[$1] - Int32(component))
            }
            return place * 6 + Int32(step ?? 0)
        }
        let count = Int32(ColourPairs.cube.count)
        let numbers = (0..<count).lazy.map { ColourPairs.cube.lowerBound + (nearest + $0) % count }
        let taken = Set(changed?.values.map(\.self) ?? [])
        guard let number = numbers.first(where: { !taken.contains($0) }) else {
            return ColourPairs.cube.lowerBound + nearest
        }
        // ncurses has components up to 1000. On failure the terminal shows the palette's colour.
        let parts = components.map { (Int32($0) * 1000 + 127) / 255 }
        _ = curses.init_extended_color(number, parts[0], parts[1], parts[2])
        changed?[colour] = number
        return number
    }
}
