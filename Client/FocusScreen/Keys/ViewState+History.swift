import CommandLineKit
import CursesKit
package import FocusCore
import FocusDevice
import FocusFront
import FocusText

// The keys of the history screen.
extension ViewState {
    /// Handles a key of the history screen. Returns nil if the screen doesn't use the key, and `.some(nil)`
    /// if the key changes only the view's state.
    mutating func pressOnHistory(_ key: Key, _ step: Int?, _ rows: HistoryList, _ height: Int) -> Effect?? {
        switch key {
        case .escape where !history.filter.isEmpty: history = HistoryViewState()
        case .character("a"):
            dialog = .field(.entry, TextField())
            message = AddEntryRequest.lineRule
        case .character("e"), .enter, .character("d"), .delete, .character("t"), .character("p"):
            guard let index = history.list.window(on: rows, height: height).selected,
                case .phase(let phase) = rows[index]
            else {
                message = "There is no entry here."
                return .some(nil)
            }
            switch key {
            case .character("d"), .delete:
                dialog = .question(.remove(phase.name, entry: phase.description))
            case .character("t"):
                dialog = .field(.retime(phase.name), TextField("\(phase.from)-\(phase.to)"))
                message = EntryChange.timesRule
            case .character("p"):
                dialog = .field(.split(phase.name), TextField())
                message = EntryChange.splitRule
            default: openLabel(.relabel(phase.name), phase.label)
            }
        default:
            guard let step else { return nil }
            history.list.move(by: step, on: rows, height: height)
        }
        return .some(nil)
    }

    /// Relabels an entry with the typed text, if the entry still exists.
    mutating func relabel(_ name: RecordName, _ label: String, _ scene: Scene) -> Effect? {
        dialog = .none
        if case .history(let rows) = scene.content, rows.choice(of: name) == nil {
            message = ViewText.entryRemoved
            return nil
        }
        return .perform(.relabel(name, label), .toBeAsked)
    }

    /// Changes an entry as the typed line says, or shows the line's problem.
    mutating func change(_ name: RecordName, _ typed: Result<EntryChange, ValueProblem>) -> Effect? {
        switch typed {
        case .success(let change):
            dialog = .none
            return .change(name, change)
        case .failure(let problem):
            message = problem.message
            return nil
        }
    }

    /// Selects an entry that was added, in the whole history, so that the next key is about it.
    package mutating func showAdded(_ name: RecordName) {
        history.filter = ""
        // The heading above the first entry of a day is visible too.
        history.list = ListSelection(name, line: 1)
    }

    /// Adds the past work that the typed line describes.
    mutating func add(_ line: String) -> Effect? {
        do throws(ValueProblem) {
            let request = try AddEntryRequest(line: line)
            dialog = .none
            return .add(request)
        } catch {
            message = error.message
            return nil
        }
    }
}

extension PhaseRow {
    /// The entry as text: "09:30-10:15, work, Report".
    fileprivate var description: String {
        ["\(from)-\(to)", activity.words, label].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
