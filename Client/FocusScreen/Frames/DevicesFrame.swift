import CursesKit
import FocusDevice
import FocusFront

/// The devices screen.
struct DevicesFrame {
    let selection: ListSelection<String>
    /// The selected row.
    let selected: DeviceRow?
    let rows: [DeviceRow]
    let isAlone: Bool
    let troubles: [Trouble]
    let layout: Layout

    /// The maximum width of the names, in columns.
    private static let nameWidth = 24

    func draw(on canvas: inout Canvas) {
        let longest = rows.map { DisplayWidth.of($0.name) }.max() ?? 0
        let width = min(longest, DevicesFrame.nameWidth, max(4, canvas.size.columns / 3))
        ListFrame(
            selection: selection, rows: RowIDs(rows.map { $0.id }), top: layout.top, height: layout.listHeight
        ).draw(on: &canvas) { canvas, index, row, style in
            var nameStyle = style
            nameStyle.isBold = rows[index].standing == .this
            canvas.writeCut(rows[index].name, row, 1, nameStyle, limit: width)
            let room = canvas.size.columns - width - 4
            let remark = rows[index].remark
            canvas.writeCut(
                DisplayWidth.of(remark) <= room ? remark : rows[index].shortRemark, row, width + 3, style,
                limit: room)
        }
        var row = layout.top + rows.count
        for words in notes {
            row += 1
            for line in Paragraph.lines(words, columns: min(72, canvas.size.columns - 2))
            where row < layout.bottom {
                canvas.write(" \(line)", row, 0)
                row += 1
            }
        }
    }

    /// The notes below the list. Notes without room are left out.
    private var notes: [String] {
        [selected.flatMap(explanationText)].compactMap { $0 } + troubles.map(sentence)
            + (isAlone ? [DevicesFrame.howToShare] : [])
    }

    private func explanationText(_ row: DeviceRow) -> String? {
        row.explanation.map { "\(row.name): \($0)" }
    }

    /// Returns the trouble and its remedy, by this screen's keys if they have one.
    private func sentence(_ trouble: Trouble) -> String {
        if case .latecomers(let count) = trouble {
            let (laptops, it) = count == 1 ? ("A laptop is", "it") : ("\(count) laptops are", "one")
            return "\(laptops) waiting to be accepted. Select \(it): a accepts it, d shuts it out."
        }
        return trouble.sentence.replacing(each: "'focus leave'", by: "p")
            .replacing(each: "'focus undo'", by: "u").replacing(each: "'focus redo'", by: "U")
    }

    private static let howToShare =
        "This laptop is in no group. S shares from it, and shows an invite for another laptop. J joins a group, with an "
        + "invite from one of its laptops or from a server."
}
