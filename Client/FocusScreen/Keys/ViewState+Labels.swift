import CursesKit
import FocusFront

// The keys of the list of recent labels.
extension ViewState {
    /// Opens a field for a label. The list opens at once if the text is empty.
    mutating func openLabel(_ field: Field, _ text: String) {
        dialog = .field(field, TextField(text))
        labelList = text.isEmpty ? LabelList(filter: "") : LabelList()
    }

    /// Handles a key of the list of recent labels. Returns nil if the list doesn't use the key, and
    /// `.some(nil)` if the key changes only the view's state.
    mutating func pressOnLabels(
        _ key: Key, _ field: Field, _ line: String, _ scene: Scene, _ size: TerminalSize
    ) -> Effect?? {
        guard let start = field.label(in: line)?.startIndex else { return nil }
        // The times of an entry stay before its label, and so does the time of a split.
        let completed = { (label: String) in
            TextField("\(line[..<start])\(field == .start ? StartRequest.line(label: label) : label)")
        }
        let offered = scene.offeredLabels(in: self, rows: size.rows)
        let place = offered.firstIndex { $0 == labelList.choice }
        switch key {
        case .down where offered.isEmpty:
            // The list was closed, or no label matches. It opens with all labels.
            labelList = LabelList(filter: "")
            labelList.choice = scene.offeredLabels(in: self, rows: size.rows).first
        case .down: choose((place ?? -1) + 1, of: offered)
        case .up: choose((place ?? offered.count) - 1, of: offered)
        case .tab:
            guard let place else { return nil }
            dialog = .field(field, completed(offered[place]))
            labelList = LabelList()
        case .enter:
            labelList = LabelList()
            guard let place else { return nil }
            return .some(confirm(field, completed(offered[place]), scene))
        case .escape, .control("g"):
            guard !offered.isEmpty else { return nil }
            labelList = LabelList()
        default: return nil
        }
        return .some(nil)
    }

    /// Chooses a label by its place. Before the first label and after the last one, none is chosen.
    private mutating func choose(_ place: Int, of offered: [String]) {
        labelList.choice = offered.indices.contains(place) ? offered[place] : nil
    }
}
