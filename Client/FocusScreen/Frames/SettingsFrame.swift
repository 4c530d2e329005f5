import CursesKit
import FocusCore
import FocusDevice
import FocusFront

/// The settings screen, as a form.
struct SettingsFrame {
    let view: ViewState
    let settings: Settings
    /// All profiles of the group.
    let profiles: [Profile]
    /// This laptop's own settings.
    let own: LaptopSettings
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
        + [.row(.profile), .heading("Only for this laptop")]
        + LaptopSetting.allCases.map { .row(.own($0)) }

    func draw(on canvas: inout Canvas) {
        let ids = SettingsFrame.lines.map(\.row)
        let width = SettingRow.all.map(\.title.count).max() ?? 0
        let selected = ids.firstIndex(of: view.setting) ?? 0
        // The selected line is as low as possible, so that the lines above it are visible.
        let place = ListSelection(view.setting, line: min(selected, layout.listHeight - 1))
        ListFrame(selection: place, rows: RowIDs(ids), top: layout.top, height: layout.listHeight)
            .draw(on: &canvas) { canvas, index, line, style in
                switch SettingsFrame.lines[index] {
                case .heading(let text):
                    canvas.writeCut(" \(text)", line, 0, Style(bold: true), limit: canvas.size.columns - 1)
                case .row(let row):
                    let column = canvas.write(" \(padded(row.title, to: width))  ", line, 0, style)
                    drawValue(of: row, on: &canvas, line, column, style)
                }
            }
    }

    /// Draws the value of a setting at a line and a column of the screen.
    private func drawValue(
        of row: SettingRow, on canvas: inout Canvas, _ line: Int, _ column: Int, _ style: Style
    ) {
        let (field, value): (Field, String) =
            switch row {
            case .shared(let key): (.setting(key), SettingText.text(settings[key], of: key))
            case .profile: (.profile, ProfileText.inUse(profiles, settings))
            case .own(let setting): (.ownSetting(setting), setting.text(in: own))
            }
        if case .field(field, let text) = view.dialog {
            let room = max(0, canvas.size.columns - column - 1)
            canvas.write(String(repeating: " ", count: room), line, column, Style(underlined: true))
            canvas.write(text, line, column, Style(underlined: true), limit: room)
        } else {
            canvas.writeCut(value, line, column, style, limit: max(0, canvas.size.columns - column - 1))
        }
    }
}
