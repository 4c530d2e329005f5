import CursesKit
import FocusCore
import FocusFront

/// The history screen, newest first.
struct HistoryFrame {
    let view: ViewState
    let rows: HistoryList
    let layout: Layout

    /// The minimum number of columns for whole words. With fewer, words are shortened or become signs.
    private static let roomForWords = 64

    func draw(on canvas: inout Canvas) {
        let filter = view.shownFilter
        if layout.headRows > 0 {
            let count = rows.choiceCount
            let text =
                filter.isEmpty ? "Find: type a label" : "Found \(counted(count, "phase")) with '\(filter)'"
            canvas.writeCut(" \(text)", layout.top, 0, Style(bold: true), limit: canvas.size.columns)
        }
        let top = layout.top + layout.headRows
        if rows.isEmpty {
            let text = filter.isEmpty ? "Finished sessions appear here." : "Nothing. Esc shows all."
            canvas.writeCentred(text, top + 1)
            return
        }
        ListFrame(
            selection: view.history.list, rows: rows, top: top, height: layout.listHeight
        ).draw(on: &canvas) { canvas, index, row, style in
            switch rows[index] {
            case .day(let name, let total):
                let done = "\(lengthText(total.focus)), \(total.completed) completed"
                let text = " \(name)  \(done)"
                canvas.write(text, row, 0, Style(bold: true), limit: canvas.size.columns - 1)
            case .phase(let phase): draw(phase, on: &canvas, row, style)
            }
        }
    }

    private func draw(_ phase: PhaseRow, on canvas: inout Canvas, _ row: Int, _ style: Style) {
        var coloured = canvas.palette.theme(phase.activity == .work ? .work : .rest)
        coloured.isReversed = style.isReversed
        let isWide = canvas.size.columns >= HistoryFrame.roomForWords
        var column = canvas.write(
            isWide ? "   \(phase.from)-\(phase.to)  " : " \(phase.from) ", row, 0, style)
        column = canvas.write(padded(phase.length, to: isWide ? 7 : 6), row, column, style)
        let name = isWide ? padded(phase.activity.words, to: 13) : padded(phase.activity.shortWord, to: 6)
        column = canvas.write(name, row, column, coloured)
        let outcome = isWide ? padded(phase.outcome.rawValue, to: 11) : "\(phase.outcome.sign) "
        column = canvas.write(outcome, row, column, style)
        let end = canvas.size.columns - 1
        column = canvas.writeCut(phase.label, row, column, style, limit: end - column)
        guard isWide, let laptop = phase.laptop else { return }
        var faint = style
        faint.isDim = true
        let gap = phase.label.isEmpty ? "" : "  "
        canvas.writeCut("\(gap)on \(laptop)", row, column, faint, limit: end - column)
    }
}

extension Activity {
    fileprivate var shortWord: String {
        switch self {
        case .work: "work"
        case .shortBreak: "break"
        case .longBreak: "long"
        }
    }
}

extension Outcome {
    fileprivate var sign: String {
        switch self {
        case .completed: "✓"
        case .skipped: "»"
        case .stopped: "×"
        }
    }
}
