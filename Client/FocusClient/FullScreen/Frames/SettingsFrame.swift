import CursesKit
import FocusCore

/// The settings, as a form.
struct SettingsFrame {
    let view: ViewState
    let settings: Settings
    let layout: Layout

    func draw(on canvas: inout Canvas) {
        let keys = SettingKey.allCases
        let width = keys.map(\.title.count).max() ?? 0
        // From eight rows on all are in the window.
        let selected = keys.firstIndex(of: view.setting) ?? 0
        let place = ListPlace(view.setting, line: min(selected, layout.listHeight - 1))
        ListFrame(place: place, ids: keys.map { $0 }, top: layout.top, height: layout.listHeight)
            .draw(on: &canvas) { canvas, index, row, style in
                let key = keys[index]
                let column = canvas.write(" \(padded(key.title, to: width))  ", row, 0, style)
                if case .field(.setting(key), let text) = view.dialog {
                    let room = max(0, canvas.size.columns - column - 1)
                    canvas.write(String(repeating: " ", count: room), row, column, Style(underlined: true))
                    canvas.write(text, row, column, Style(underlined: true), limit: room)
                } else {
                    canvas.write(SettingText.text(settings[key], of: key), row, column, style)
                }
            }
        let note = layout.top + keys.count + 1
        if note < layout.bottom {
            canvas.writeCut(
                " They hold for all laptops that share the session.", note, 0, Style(dim: true),
                limit: canvas.size.columns)
        }
    }
}
