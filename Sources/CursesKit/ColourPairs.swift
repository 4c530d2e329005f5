import CNCurses

/// The colours of a terminal, as ncurses wants them: in pairs of text and background.
final class ColourPairs {
    /// Which colours there are.
    let colours: Capabilities.Colours
    private var pairs: [Colour: Int32] = [:]

    /// Nil where the terminal has none.
    init?() {
        guard has_colors(), start_color() == OK else { return nil }
        // So that the background stays the terminal's own.
        use_default_colors()
        let count = lockstep_colour_count()
        switch count {
        case (1 << 24)... where tigetflag("RGB") > 0: colours = .exact
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
        guard init_extended_pair(pair, number(of: colour), -1) == OK else { return 0 }
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
