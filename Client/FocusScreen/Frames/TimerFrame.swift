import CursesKit
import FocusCore
import FocusDevice
import FocusFront

/// The timer screen: the phase, the time left, the label, and the state of sharing.
struct TimerFrame {
    let scene: Scene
    /// The notice that is not shown, because the person has read it among the devices.
    let seenNotice: String?
    /// The work of today and of this week, in a long form and one for few columns.
    let work: (long: String, short: String)
    /// Today's phases; nil if they aren't known.
    let day: DayLine?
    let layout: Layout

    private var shown: Presentation { scene.presentation }

    func draw(on canvas: inout Canvas) {
        let height = layout.bottom - layout.top
        let letters = Letters(shown.clock, in: canvas.size, height: height)
        // Parts are added in order of importance; a part that no longer fits is left out. `order` is a part's
        // position from the top.
        var parts: [(order: Int, rows: Int, draw: (inout Canvas, Int) -> Void)] = []
        var left = height
        func add(_ order: Int, rows: Int, _ draw: @escaping (inout Canvas, Int) -> Void) {
            guard rows <= left else { return }
            left -= rows
            parts.append((order, rows, draw))
        }
        add(1, rows: letters.rows) { letters.draw(on: &$0, $1, shown.theme) }
        add(0, rows: 1, drawStatus)
        if !shown.label.isEmpty {
            add(3, rows: 1) { $0.writeCentred(shown.label, $1, Style(bold: true), margin: 1) }
        }
        if let question = scene.question {
            let words = question.countedWords
            add(7, rows: 1) { $0.writeCentred(words, $1, Style(bold: true)) }
        }
        if let trouble = scene.troubles.first(where: { $0.notice == nil || $0.notice != seenNotice }) {
            add(6, rows: 1) { $0.writeCentred(ViewText.short(trouble), $1, Style(bold: true)) }
        }
        if scene.troubles.isEmpty || shown.sharing != .alone { add(5, rows: 1, drawSharing) }
        add(2, rows: 1) { drawProgress(on: &$0, $1, width: max(letters.columns, 30)) }
        add(4, rows: 1, drawCycles)
        // The label's row stays free, so that nothing moves when the work gets a label.
        if shown.label.isEmpty { add(3, rows: 1) { _, _ in } }
        if let day, DayLineFrame.fits(canvas.size) {
            add(8, rows: DayLineFrame.rows) { DayLineFrame(line: day).draw(on: &$0, $1) }
        }
        parts.sort { $0.order < $1.order }
        let gap = min(2, left / (parts.count + 1))
        var row = layout.top + (left - gap * (parts.count - 1)) / 2
        for part in parts {
            part.draw(&canvas, row)
            row += part.rows + gap
        }
    }

    private func drawStatus(on canvas: inout Canvas, _ row: Int) {
        let label = shown.statusLabel.rawValue
        let remark = shown.remark.map { " (\($0))" } ?? ""
        let added = shown.addedText.map { " \($0)" } ?? ""
        let end = shown.endText(by: .current).map { "  \($0)" } ?? ""
        // The end is left out first if there is too little room, then the added time.
        let room = canvas.size.columns - label.count - remark.count
        let shownAdded = added.count <= room ? added : ""
        let shownEnd = added.count + end.count <= room ? end : ""
        var column = max(0, (room - shownAdded.count - shownEnd.count) / 2)
        column = canvas.write(label, row, column, canvas.palette.theme(shown.theme, bold: true))
        column = canvas.write(remark, row, canvas.write(shownAdded, row, column))
        canvas.write(shownEnd, row, column, Style(dim: true))
    }

    private func drawProgress(on canvas: inout Canvas, _ row: Int, width: Int) {
        let width = min(width, canvas.size.columns - 2)
        guard width > 0 else { return }
        // The time that is over ends within half a column.
        let halves = Int(shown.progress * Double(2 * width))
        let done = String(repeating: "━", count: halves / 2) + (halves % 2 == 1 ? "╸" : "")
        let column = (canvas.size.columns - width) / 2
        let end = canvas.write(done, row, column, canvas.palette.theme(shown.theme))
        canvas.write(String(repeating: "─", count: width - done.count), row, end, Style(dim: true))
    }

    private func drawCycles(on canvas: inout Canvas, _ row: Int) {
        let dots = shown.cycles.map(\.sign).joined(separator: " ")
        let isRoomy = dots.count + work.long.count + 4 <= canvas.size.columns
        let text = isRoomy ? work.long : work.short
        let isShort = shown.cycles.count <= 12 && dots.count + text.count + 4 <= canvas.size.columns
        let done = shown.cycles.count { $0 == .done }
        let round = isShort ? dots : "\(done) of \(shown.cycles.count) to the long break"
        let width = DisplayWidth.of(round) + 3 + text.count
        let column = max(0, (canvas.size.columns - width) / 2)
        let end = canvas.write(round, row, column, canvas.palette.theme(.work))
        canvas.write(text, row, end + 3)
    }

    private func drawSharing(on canvas: inout Canvas, _ row: Int) {
        let (long, short) =
            shown.sharing == .alone ? ViewText.sharingHint : ViewText.sharing(shown.sharing, at: scene.now)
        // While the last press is shown, it stands before the rest, or by itself if there is too little room.
        let texts = shown.press.map { press in
            [long, short].map { "\(press.text())   \($0)" } + [press.text()]
        }
        let text =
            (texts ?? [long]).first { DisplayWidth.of($0) + 2 <= canvas.size.columns } ?? texts?.last ?? short
        canvas.writeCentred(text, row, Style(dim: true))
    }
}

/// The clock in the largest size that fits.
private struct Letters {
    private let clock: String
    private let pattern: [[Bool]]
    /// The rows and columns of a block; nil if only plain text fits.
    private let block: (rows: Int, columns: Int)?

    /// The rows for the other parts around the clock.
    private static let otherRows = 5
    /// The blank rows around larger letters.
    private static let margin = 4

    init(_ clock: String, in size: TerminalSize, height: Int) {
        self.clock = clock
        pattern = BigDigits.pattern(clock)
        let width = BigDigits.width(clock)
        // A block that has twice as many columns as rows is about square.
        let blocks = [(3, 6), (2, 4), (1, 2), (1, 1)]
        block = blocks.first { rows, columns in
            // The smallest blocks leave at least one row, for the status.
            let room = rows > 1 ? height - Letters.otherRows - Letters.margin : height - 1
            return width * columns + 2 <= size.columns && BigDigits.rows * rows <= room
        }
    }

    var rows: Int { (block?.rows).map { $0 * BigDigits.rows } ?? 1 }

    var columns: Int { block.map { $0.columns * (pattern.first?.count ?? 0) } ?? clock.count }

    func draw(on canvas: inout Canvas, _ row: Int, _ theme: Presentation.Theme) {
        let style = canvas.palette.theme(theme, bold: true)
        guard let block else { return canvas.writeCentred(clock, row, style) }
        let left = (canvas.size.columns - columns) / 2
        for (line, blocks) in pattern.enumerated() {
            for (place, isFilled) in blocks.enumerated() where isFilled {
                for part in 0..<block.rows {
                    canvas.write(
                        String(repeating: "█", count: block.columns), row + line * block.rows + part,
                        left + place * block.columns, style)
                }
            }
        }
    }
}

/// A clock in letters made of blocks, to be read from a distance.
enum BigDigits {
    /// The rows of a letter at the smallest scale.
    static let rows = 5

    /// Returns the clock (`24:13`, `+03:12`) as rows of blocks, true for a filled one. At scale n each block is
    /// n rows high.
    static func pattern(_ clock: String) -> [[Bool]] {
        (0..<rows).map { row in
            Array(
                clock.compactMap { shapes[$0]?[row] }.map { $0.map { $0 == "#" } }.joined(separator: [false]))
        }
    }

    /// Returns the width of a clock in blocks.
    static func width(_ clock: String) -> Int { pattern(clock).first?.count ?? 0 }

    private static let shapes: [Character: [String]] = [
        "0": ["###", "# #", "# #", "# #", "###"],
        "1": [" # ", "## ", " # ", " # ", "###"],
        "2": ["###", "  #", "###", "#  ", "###"],
        "3": ["###", "  #", "###", "  #", "###"],
        "4": ["# #", "# #", "###", "  #", "  #"],
        "5": ["###", "#  ", "###", "  #", "###"],
        "6": ["###", "#  ", "###", "# #", "###"],
        "7": ["###", "  #", "  #", "  #", "  #"],
        "8": ["###", "# #", "###", "# #", "###"],
        "9": ["###", "# #", "###", "  #", "###"],
        ":": [" ", "#", " ", "#", " "],
        "+": ["   ", " # ", "###", " # ", "   "],
    ]
}
