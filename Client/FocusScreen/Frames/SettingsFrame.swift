import CursesKit
import FocusCore
import FocusDevice
import FocusFront

/// The settings screen, as a form.
struct SettingsFrame {
    let view: ViewState
    let settings: Settings
    /// This laptop's own settings that are on.
    let own: Set<LaptopSetting>
    let layout: Layout

    /// A line of the form.
    private enum Line {
        case heading(String)
        case row(SettingRow)

        var row: SettingRow? { if case .row(let row) = self { row } else { nil } }
    }

    private static let lines: [Line] =
        [.heading("For all laptops that share the session")]
        + SettingKey.allCases.map { .row(.shared($0)) }
        + [.heading("Only for this laptop")]
        + LaptopSetting.allCases.map { .row(.own($0)) }

    func draw(on canvas: inout Canvas) {
        let ids = SettingsFrame.lines.map(\.row)
        let width = SettingRow.all.map(\.title.count).max() ?? 0
        let selected = ids.firstIndex(of: view.setting) ?? 0
        // The selected line is as low as possible, so that the lines above it are visible.
        let place = ListSelection(view.setting, line: min(selected, layout.listHeight - 1))
        ListFrame(selection: place, rows: RowIDs(ids), top: layout.top, height: layout.listHeight)
            .draw(on: &canvas) { canvas, index, row, style in
                switch SettingsFrame.lines[index] {
                case .heading(let text):
                    canvas.writeCut(" \(text)", row, 0, Style(bold: true), limit: canvas.size.columns - 1)
                case .row(let line):
                    let column = canvas.write(" \(padded(line.title, to: width))  ", row, 0, style)
                    draw(line, on: &canvas, row, column, style)
                }
            }
    }

    private func draw(_ line: SettingRow, on canvas: inout Canvas, _ row: Int, _ column: Int, _ style: Style)
    {
        switch line {
        case .own(let setting): canvas.write(setting.words.text(own.contains(setting)), row, column, style)
        case .shared(let key):
            if case .field(.setting(key), let text) = view.dialog {
                let room = max(0, canvas.size.columns - column - 1)
                canvas.write(String(repeating: " ", count: room), row, column, Style(underlined: true))
                canvas.write(text, row, column, Style(underlined: true), limit: room)
            } else {
                canvas.write(SettingText.text(settings[key], of: key), row, column, style)
            }
        }
    }
}
