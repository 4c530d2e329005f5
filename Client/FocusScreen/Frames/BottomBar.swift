import CursesKit
import FocusCore
import FocusDevice
import FocusFront

/// The bottom of the screen: the keys that do something now, a question, a field or a message.
struct BottomBar {
    let view: ViewState
    let scene: Scene

    func draw(on canvas: inout Canvas) {
        let row = canvas.size.rows - 1
        if case .field(let field, let text) = view.dialog {
            draw(field, text, row, on: &canvas)
            var top = row
            if let messageText { top = drawWords(messageText, above: row, on: &canvas) }
            drawLabels(for: field, above: top, on: &canvas)
        } else if let messageText {
            drawWords(messageText, above: row + 1, on: &canvas)
        } else {
            drawKeys(row, on: &canvas)
        }
    }

    /// The words in place of the keys, or above a field.
    private var messageText: String? {
        if case .question(let question) = view.dialog {
            return "\(question.sentence) \(question.answers)" + (view.message.map { ". \($0)" } ?? "")
        }
        return view.message ?? view.pendingOperation?.sentence ?? scene.problem
    }

    /// Draws words above a row, and returns their first row.
    @discardableResult
    private func drawWords(_ words: String, above end: Int, on canvas: inout Canvas) -> Int {
        let lines = Paragraph.lines(words, columns: canvas.size.columns - 2)
        let style = Style(reversed: true)
        for (index, line) in lines.enumerated() {
            let row = end - lines.count + index
            canvas.clear(row, style)
            canvas.write(" \(line)", row, 0, style)
        }
        return end - lines.count
    }

    /// Draws the recent labels that are offered, above a row, in the column of the field's text.
    private func drawLabels(for field: Field, above end: Int, on canvas: inout Canvas) {
        let labels = scene.offeredLabels(in: view, rows: canvas.size.rows)
        let column = (field.title?.count ?? 0) + 3
        for (index, label) in labels.enumerated() {
            let row = end - labels.count + index
            let style = Style(reversed: label == view.labelList.choice)
            canvas.clear(row, style)
            canvas.writeCut(label, row, column, style, limit: canvas.size.columns - column - 1)
        }
    }

    /// Draws a field, and to its right the keys that end the typing, if there is room.
    private func draw(_ field: Field, _ text: TextField, _ row: Int, on canvas: inout Canvas) {
        canvas.clear(row)
        let hasList = !scene.offeredLabels(in: view, rows: canvas.size.rows).isEmpty
        let escape = field == .filter ? "All" : hasList ? "Close" : "Cancel"
        var ends: [KeyWord] = [("Enter", field.enterWord), ("Esc", escape)]
        if hasList { ends.insert(("Down", "Choose"), at: 0) }
        guard let title = field.title else { return draw(ends, row, 1, on: &canvas) }
        let column = canvas.write(" \(title): ", row, 0, Style(bold: true))
        let right = canvas.size.columns - width(ends)
        let isRoomy = right >= column + BottomBar.roomToType
        canvas.write(
            text, row, column, .plain, limit: (isRoomy ? right - 1 : canvas.size.columns - 1) - column)
        if isRoomy { draw(ends, row, right, on: &canvas) }
    }

    /// The minimum number of columns for typing. With fewer, the keys are left out. On 80 columns it leaves
    /// room for the keys of the list of labels.
    private static let roomToType = 35

    private func drawKeys(_ row: Int, on canvas: inout Canvas) {
        canvas.clear(row)
        var keys = availableKeys + [("?", "Help"), ("q", "Leave")]
        // Removes keys until the rest fits: first "q" at the end, then the key before the help.
        while keys.count > 1, width(keys) > canvas.size.columns {
            keys.remove(at: keys.count - (keys.last?.key == "q" ? 1 : 2))
        }
        draw(keys, row, 1, on: &canvas)
    }

    /// A key and its effect.
    private typealias KeyWord = (key: String, effect: String)

    /// Returns the number of columns of the keys, including the gaps between them.
    private func width(_ keys: [KeyWord]) -> Int {
        keys.reduce(0) { $0 + $1.key.count + $1.effect.count + 3 }
    }

    private func draw(_ keys: [KeyWord], _ row: Int, _ column: Int, on canvas: inout Canvas) {
        var column = column
        for (key, effect) in keys {
            column = canvas.write(key, row, column, Style(bold: true))
            column = canvas.write(" \(effect)", row, column) + 2
        }
    }

    /// The keys that do something on the present screen now.
    private var availableKeys: [KeyWord] {
        let shown = scene.presentation
        // In overtime both keys count the work and begin the break.
        let skip: (Offer, String, String) =
            shown.overtime == nil ? (.skip, "s", "Skip") : (.complete, "D", "Done, break")
        let timer: [(Offer, String, String)] = [
            (.main, "space", shown.mainButton.rawValue), skip, (.stop, "x", "Stop"),
            (.addTime, "+ -", "Minute"), (.label, view.screen == .statistics ? "L" : "l", "Label"),
            (.undo, "u", "Undo"),
        ]
        let offered = timer.filter { shown.offers.contains($0.0) }.map { (key: $0.1, effect: $0.2) }
        switch view.screen {
        case .timer:
            let answers: [KeyWord] =
                scene.question == nil ? [] : [("k", "Keep"), ("t", "Take out"), ("p", "Pause it")]
            return answers + offered + (shown.offers.contains(.label) ? [] : [("l", "Name")])
        case .history:
            let isEmpty = if case .history(let rows) = scene.content { rows.isEmpty } else { false }
            let editing: [KeyWord] =
                isEmpty ? [] : [("e", "Label"), ("t", "Times"), ("p", "Split"), ("d", "Remove")]
            let finding: [KeyWord] =
                (isEmpty && view.history.filter.isEmpty ? [] : [("/", "Find")])
                + (view.history.filter.isEmpty ? [] : [("Esc", "All")])
            return finding + [("a", "Add")] + editing + offered
        case .statistics:
            let chart = view.statistics.chart
            let own: [KeyWord] =
                chart == .year ? [("j k", "Year")] : chart.isOfRange ? [("r", "Days")] : []
            return [("h l", "Chart")] + own + offered
        case .settings:
            let canRemove = view.setting == .profile && scene.savedProfileInUse != nil
            let removing: [KeyWord] = canRemove ? [("d", "Remove")] : []
            return [("Enter", "Change")] + removing + offered
        case .devices where shown.sharing == .alone:
            return [("S", "Share"), ("J", "Join"), ("e", "Rename")] + offered
        case .devices where scene.isShutOut:
            return [("p", "Leave group"), ("e", "Rename")] + offered
        case .devices:
            return deviceKeys + [("i", "Invite"), ("e", "Rename")] + offered + [("p", "Leave group")]
        }
    }

    /// The keys for the selected device.
    private var deviceKeys: [KeyWord] {
        guard case .devices(let rows) = scene.content,
            let selected = view.selected(of: rows)
        else { return [] }
        switch selected.standing {
        case .this: return selected.server == .stopped ? [("S", "Share")] : []
        case .keyless, .left: return []
        case .member, .listed: return [("d", "Shut out")]
        case .latecomer, .readmitted: return [("a", "Accept"), ("d", "Shut out")]
        case .revoked: return [("b", "Take back")]
        }
    }
}

extension Canvas {
    /// Writes the part of a field's text that fits, with the cursor in it, and sets the cursor.
    mutating func write(_ field: TextField, _ row: Int, _ column: Int, _ style: Style, limit: Int) {
        var hidden = 0
        var before = field.beforeCursor
        // One column is kept for a cursor at the end.
        while DisplayWidth.of(before) >= max(1, limit), !before.isEmpty {
            before = before.dropFirst()
            hidden += 1
        }
        var style = style
        style.isReversed = style.isReversed || field.isSelected
        write(String(field.text.dropFirst(hidden)), row, column, style, limit: limit)
        setCursor(row, column + DisplayWidth.of(before))
    }
}

extension Field {
    /// The effect of Enter, in one word.
    fileprivate var enterWord: String {
        switch self {
        case .label, .name, .relabel: "Name"
        case .entry: "Add"
        case .start: "Start"
        case .filter: "Find"
        case .setting, .ownSetting, .retime: "Change"
        case .profile: "Use"
        case .split: "Split"
        case .range: "Show"
        case .invite: "Join"
        }
    }

    /// The word before the field; nil if the text is edited at its place on the screen.
    fileprivate var title: String? {
        switch self {
        case .label: "Label"
        case .start: "Start"
        case .filter: "Find"
        case .name: "Name"
        case .entry: "Add"
        case .relabel: "Label of the entry"
        case .retime: "When it was"
        case .split: "Split at"
        case .range: "Days"
        case .invite: "Invite"
        case .setting, .ownSetting, .profile: nil
        }
    }
}

extension PendingOperation {
    /// The sentence that is shown until the server answers.
    fileprivate var sentence: String {
        switch self {
        case .joining: "Asking the server to let this laptop in… Esc gives it up."
        case .sharing: "Starting the server on this laptop…"
        case .asking: "Asking the server…"
        }
    }
}

extension Question {
    fileprivate var sentence: String {
        switch self {
        case .claim(let claim, _): "Undoing \(claim.sentence) Do it?"
        case .fallShort(let sentence, _): "\(sentence) Do it?"
        case .remove(_, let entry): "Remove \(entry), from the history?"
        case .saveProfile(let name, let meant):
            "There is no profile '\(name)'.\(meant) Save the present lengths under this name?"
        case .removeProfile(let name): "Remove the profile '\(name)'?"
        case .revoke(let row, let others, _):
            GroupQuestion.revoke([row.name], along: others.map(\.name))
        case .revokeToo(let others, let rows):
            GroupQuestion.revokeToo(others.map(\.name), with: rows.map(\.name))
        case .revokeFormer(let former): GroupQuestion.revoke(former)
        case .accept(let row):
            GroupQuestion.accept(row.name, row.id, row.standing == .readmitted ? .readmitted : .oldKey)
        case .soloHistory(let question, _):
            (question.sentences + [SoloHistoryQuestion.question]).joined(separator: " ")
        case .leaveGroup(let isOnlyMember, let isServer):
            GroupQuestion.leave(isOnlyMember: isOnlyMember, isServer: isServer)
        case .leaveUntold(let question): question
        }
    }

    /// The keys that answer the question.
    fileprivate var answers: String {
        switch self {
        case .revoke(let row, let others, _) where !others.isEmpty: "y/n, or o for \(row.name) only"
        case .soloHistory: "y/n, or Esc to not join"
        case .revokeToo: "y/n, or Esc to shut nobody out"
        case .claim, .fallShort, .remove, .saveProfile, .removeProfile, .revoke, .revokeFormer, .accept,
            .leaveGroup, .leaveUntold:
            "y/n"
        }
    }
}
