import FocusCore
package import SystemKit

/// The signs that charts are drawn with.
package enum Glyphs: Sendable {
    /// Blocks of Unicode.
    case unicode
    /// For a locale that isn't UTF-8.
    case ascii

    /// Those that the locale can show, as LC_ALL, LC_CTYPE and LANG say (POSIX, "Environment Variables").
    package static func forLocale(_ environment: Environment) -> Glyphs {
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
        let encoding = locale.lowercased().filter { $0 != "-" }
        return encoding.contains("utf8") ? .unicode : .ascii
    }

    /// A bar as long as `part` is of `whole`, `width` columns where they are equal. What isn't zero shows.
    package func bar(_ part: Duration, of whole: Duration, width: Int) -> String {
        guard part > .zero, whole > .zero, width > 0 else { return "" }
        let steps = self == .unicode ? 8 : 1
        let share = Double(min(part, whole).inMilliseconds) / Double(whole.inMilliseconds)
        let length = share * Double(width * steps)
        let (full, rest) = max(1, Int(length.rounded())).quotientAndRemainder(dividingBy: steps)
        let end = rest > 0 ? ["▏", "▎", "▍", "▌", "▋", "▊", "▉"][rest - 1] : ""
        return String(repeating: self == .unicode ? "█" : "#", count: full) + end
    }

    /// What stands at the end of a text that was cut off.
    package var cutOff: String { self == .unicode ? "…" : "~" }

    /// The sign of a heatmap's level, 0…4.
    package func shade(_ level: Int) -> Character {
        let shades: [Character] = self == .unicode ? ["·", "░", "▒", "▓", "█"] : [".", "-", "+", "*", "#"]
        return shades[min(max(0, level), shades.count - 1)]
    }
}
