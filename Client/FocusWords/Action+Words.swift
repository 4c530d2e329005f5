import CommandLineKit
import FocusCore

extension Action {
    /// What the action is called in messages, to be read after "the".
    var words: String {
        switch self {
        case .start: "start"
        case .pause: "pause"
        case .resume: "resume"
        case .stop: "stop"
        case .skip: "skip"
        case .adjust(_, _, let seconds, _):
            "\(DurationText.text(.seconds(seconds.magnitude))) \(seconds < 0 ? "less" : "more")"
        case .label(_, let text, _): text.isEmpty ? "empty label" : "label '\(text)'"
        case .adopt: "session taken over"
        case .set(let key, _): "change of \(key)"
        case .device: "name"
        case .record(let record): record.label.isEmpty ? "entry" : "entry '\(record.label)'"
        case .amend(let amend): amend.words
        case .retime: "other times of an entry"
        case .split: "splitting of an entry"
        case .undo: "undo"
        case .revoke: "shutting out of a laptop"
        case .readmit: "readmission of a laptop"
        case .unknown: "change that this version doesn't know"
        }
    }
}

extension Action.Amend {
    fileprivate var words: String {
        if removed == true { return "removal of an entry" }
        guard let label else { return "correction" }
        return "\(label.isEmpty ? "empty label" : "label '\(label)'") of an entry"
    }
}
