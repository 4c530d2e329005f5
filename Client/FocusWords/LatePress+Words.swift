import FocusCore

extension LatePress {
    /// What happened, and what to do about it.
    package func sentence(by name: String) -> String {
        let left = "\(counted(Int(clamping: phases), "work phase")) left the history"
        return "\(name) \(deed) as of \(lengthText(ago)) ago: \(left)\(hint)."
    }

    private var deed: String {
        if event != change { return "took back the \(change.action.words)" }
        return switch event.action {
        case .stop: "stopped the session"
        case .pause: "paused the session"
        case .skip: "skipped a phase"
        case .start: "began anew"
        default: "pressed (\(event.action.words))"
        }
    }

    private var hint: String {
        let them = phases == 1 ? "it" : "them"
        return switch remedy {
        case .undo: "; 'focus undo' brings \(them) back"
        case .redo: "; 'focus redo' brings \(them) back"
        case nil: ""
        }
    }
}
