package import FocusCore
import FocusFront
import FocusText
package import SystemKit

/// The characters for charts.
package enum Glyphs: Sendable {
    /// Unicode block characters.
    case unicode
    /// ASCII, for a locale that isn't UTF-8.
    case ascii

    /// Returns the glyphs for the locale in LC_ALL, LC_CTYPE or LANG (POSIX, "Environment Variables").
    package static func forLocale(_ environment: Environment) -> Glyphs {
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
        // Compares bytes because every command does this, and the first text search of a process is slower.
        let encoding = locale.utf8.filter { $0 != UInt8(ascii: "-") }.map {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0
        }
        let isUTF8 = encoding.indices.contains { encoding[$0...].starts(with: "utf8".utf8) }
        return isUTF8 ? .unicode : .ascii
    }

    /// Returns a bar for `part` of `whole`. It is `width` columns long if both are equal. A part above zero
    /// is always visible.
    package func bar(_ part: Duration, of whole: Duration, width: Int) -> String {
        guard part > .zero, whole > .zero, width > 0 else { return "" }
        let steps = self == .unicode ? 8 : 1
        let share = Double(min(part, whole).inMilliseconds) / Double(whole.inMilliseconds)
        let length = share * Double(width * steps)
        let (full, rest) = max(1, Int(length.rounded())).quotientAndRemainder(dividingBy: steps)
        let end = rest > 0 ? ["▏", "▎", "▍", "▌", "▋", "▊", "▉"][rest - 1] : ""
        return String(repeating: self == .unicode ? "█" : "#", count: full) + end
    }

    /// Returns a bar as `bar` does, of whole columns and lower than its row. So the bars of two rows don't
    /// touch each other.
    func lowBar(_ part: Duration, of whole: Duration, width: Int) -> String {
        guard part > .zero, whole > .zero, width > 0 else { return "" }
        let share = Double(min(part, whole).inMilliseconds) / Double(whole.inMilliseconds)
        let columns = max(1, Int((share * Double(width)).rounded()))
        return String(repeating: self == .unicode ? "▆" : "#", count: columns)
    }

    /// The sign at the end of a text that was cut off.
    package var cutOff: String { self == .unicode ? "…" : "~" }

    /// Returns the sign for a heatmap's level, 0…4.
    package func shade(_ level: Int) -> Character {
        let shades: [Character] = self == .unicode ? ["·", "░", "▒", "▓", "█"] : [".", "-", "+", "*", "#"]
        return shades[min(max(0, level), shades.count - 1)]
    }

    /// Returns a bar for a heatmap's level, 0…4. The bar is lower than its row.
    func height(_ level: Int) -> Character {
        let heights: [Character] = ["·", "▂", "▃", "▅", "▇"]
        return self == .unicode ? heights[min(max(0, level), heights.count - 1)] : shade(level)
    }
}

extension CycleDot {
    /// The dot as a character.
    package var sign: String {
        switch self {
        case .done: "●"
        case .present: "◉"
        case .ahead: "○"
        }
    }
}

/// A heatmap as text: a row for each day of the week, a column for each week.
package struct HeatmapText {
    /// The number of columns before the weeks.
    package static let margin = 6

    private let weeks: [Heatmap.Week]
    /// The focus time of the darkest sign.
    private let darkestTime: Duration
    private let glyphs: Glyphs
    private let paint: TextColouring
    /// The number of columns from a week to the next one.
    private let step: Int

    /// The latest weeks of a heatmap that fit into `columns`.
    ///
    /// - Parameter isRoomy: Whether each day is a bar with a space beside it, if there is room for all weeks.
    package init(
        _ heatmap: Heatmap, columns: Int = .max, isRoomy: Bool = false, _ glyphs: Glyphs,
        _ paint: TextColouring
    ) {
        step = isRoomy && HeatmapText.margin + 2 * heatmap.weeks.count - 1 <= columns ? 2 : 1
        weeks = heatmap.weeks.suffix(max(1, columns - HeatmapText.margin))
        darkestTime = heatmap.most
        self.glyphs = glyphs
        self.paint = paint
    }

    /// The title, the months, the seven days of the week, and the legend.
    package var lines: [String] {
        ["Day by day: focus time", months] + days + [
            "\(legend.before)\(paint.coloured(legend.signs, .work))\(legend.after)"
        ]
    }

    /// The name of each month above the week of its first day, if there is room.
    var months: String {
        var line = String(repeating: " ", count: HeatmapText.margin)
        for (column, week) in weeks.enumerated() {
            guard let first = week.days.first(where: { $0.date.day == 1 }) else { continue }
            let place = HeatmapText.margin + column * step
            let isApart = line.count < place || line.count == HeatmapText.margin
            guard isApart, column * step + 3 <= weeks.count * step else { continue }
            line += String(repeating: " ", count: place - line.count) + first.monthName
        }
        return line
    }

    /// The rows of the days of the week.
    var days: [String] {
        (0..<7).map { row in
            let cells = weeks.map { $0.cells[row] }
            let last = cells.lastIndex { $0 != nil } ?? -1
            let signs = spaced(cells[...last].map { $0.map { sign($0.level) } ?? " " })
            let name = weeks.first?.days.dropFirst(row).first?.weekdayName ?? ""
            return "  \(name) \(paint.coloured(signs, .work))"
        }
    }

    /// The explanation of the signs.
    var legend: (before: String, signs: String, after: String) {
        ("  none ", spaced((0...Heatmap.topLevel).map(sign)), " \(lengthText(darkestTime))")
    }

    private func sign(_ level: Int) -> Character { step > 1 ? glyphs.height(level) : glyphs.shade(level) }

    private func spaced(_ signs: [Character]) -> String {
        signs.map { String($0) }.joined(separator: String(repeating: " ", count: step - 1))
    }
}
