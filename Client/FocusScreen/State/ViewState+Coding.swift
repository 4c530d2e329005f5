import FocusCore
import FocusDevice
import FocusFront
package import FocusText

// The stored form of the view's state. A part that this version can't read gets the value of a new view.
extension ViewState {
    /// The state as JSON, without the parts that aren't stored.
    package var json: JSON {
        .object([
            JSON.Member("screen", .string(screen.rawValue)),
            JSON.Member("filter", .string(history.filter)),
            JSON.Member("phase", encoded(history.list) { .string($0.text) }),
            JSON.Member("chart", .string(statistics.chart.rawValue)),
            JSON.Member("bar", encoded(statistics.bars) { .integer($0) }),
            JSON.Member("yearsBack", .integer(statistics.yearsBack)),
            JSON.Member("range", .string(statistics.range.line)),
            JSON.Member("setting", .string(setting.name)),
            JSON.Member("device", encoded(devices) { .string($0) }),
            JSON.Member("dialog", dialog.json),
        ])
    }

    /// The stored state. A part that can't be read gets the value of a new view.
    package init(_ json: JSON) {
        self.init()
        screen = json["screen"]?.text.flatMap(ScreenName.init) ?? screen
        history.filter = json["filter"]?.text ?? ""
        history.list = ViewState.decoded(json["phase"]) { $0.text.flatMap { RecordName(text: $0) } }
        statistics.chart = json["chart"]?.text.flatMap(StatisticsViewState.Chart.init) ?? statistics.chart
        statistics.bars = ViewState.decoded(json["bar"]) { $0.number }
        statistics.yearsBack =
            Int(
                clamping: max(
                    0, min(json["yearsBack"]?.number ?? 0, Int64(StatisticsViewState.yearsBackLimit))))
        statistics.range = json["range"]?.text.flatMap { StatsRange(line: $0) } ?? statistics.range
        setting = json["setting"]?.text.flatMap(SettingRow.init) ?? setting
        devices = ViewState.decoded(json["device"]) { $0.text }
        dialog = json["dialog"].flatMap(Dialog.init) ?? .none
    }

    /// A list's selection: the selected row's id, or null for the first row, and the row's line in the
    /// window.
    private func encoded<ID>(_ place: ListSelection<ID>, _ id: (ID) -> JSON) -> JSON {
        .array([place.selected.map(id) ?? .null, .integer(place.line)])
    }

    private static func decoded<ID>(_ json: JSON?, _ id: (JSON) -> ID?) -> ListSelection<ID> {
        guard case .array(let parts)? = json, let first = parts.first, let line = parts.last?.number else {
            return ListSelection()
        }
        return ListSelection(id(first), line: Int(clamping: max(0, line)))
    }
}

extension Dialog {
    fileprivate var json: JSON {
        switch self {
        case .none, .question, .field(.invite, _): .null
        case .help(let top): .object([JSON.Member("help", .integer(top))])
        case .field(let field, let text):
            .object([
                JSON.Member("field", .string(field.name)), JSON.Member("text", .string(text.text)),
                // Null if the whole text is selected.
                JSON.Member("cursor", text.isSelected ? .null : .integer(text.cursor)),
            ])
        }
    }

    fileprivate init?(_ json: JSON) {
        if let top = json["help"]?.number {
            self = .help(top: Int(clamping: max(0, top)))
        } else if let field = json["field"]?.text.flatMap(Field.init), let text = json["text"]?.text {
            switch (json["cursor"], json["cursor"]?.number) {
            case (.null?, _): self = .field(field, TextField(offering: text))
            case (_, let cursor?): self = .field(field, TextField(text, cursor: Int(clamping: cursor)))
            default: return nil
            }
        } else {
            return nil
        }
    }
}

extension Field {
    fileprivate var name: String {
        switch self {
        case .label: "label"
        case .start: "start"
        case .filter: "filter"
        case .name: "name"
        case .setting(let key): key.rawValue
        case .ownSetting(let setting): setting.rawValue
        case .profile: "profile"
        case .entry: "entry"
        case .relabel(let name): "\(Field.relabelling)\(name.text)"
        case .retime(let name): "\(Field.retiming)\(name.text)"
        case .split(let name): "\(Field.splitting)\(name.text)"
        case .range: "range"
        case .invite: "invite"
        }
    }

    fileprivate init?(_ name: String) {
        switch name {
        case "label": self = .label
        case "start": self = .start
        case "filter": self = .filter
        case "name": self = .name
        case "entry": self = .entry
        case "range": self = .range
        default:
            for (prefix, field) in Field.onEntries where name.hasPrefix(prefix) {
                guard let entry = RecordName(text: String(name.dropFirst(prefix.count))) else { return nil }
                self = field(entry)
                return
            }
            switch SettingRow(name) {
            case .shared(let key)?: self = .setting(key)
            case .profile?: self = .profile
            case .own(let setting)?: self = .ownSetting(setting)
            case nil: return nil
            }
        }
    }

    /// The beginnings of the stored names of fields about an entry. The entry's name follows.
    private static let relabelling = "entry "
    private static let retiming = "times "
    private static let splitting = "split "
    /// For each of these beginnings, a function from an entry's name to the field.
    private static let onEntries: [(String, @Sendable (RecordName) -> Field)] = [
        (relabelling, { .relabel($0) }), (retiming, { .retime($0) }), (splitting, { .split($0) }),
    ]
}
