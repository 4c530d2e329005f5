import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusLink
package import FocusStore
package import FocusText

extension Performed {
    /// What was done besides the press, what an undo took back, or what an added entry overlaps with, in sentences;
    /// nil where the state says all.
    ///
    /// - Parameter zone: Whose clocks tell the times.
    package func sentence(_ device: Device, by zone: LocalZone = .here) throws(StoreError) -> String? {
        let sentences =
            woken.map { SyncNotice.woke($0).sentence }
            + [try tookBackSentence(device), overlapSentence(zone)].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// What an undo or a redo took back, as a sentence; nil where it was none.
    private func tookBackSentence(_ device: Device) throws(StoreError) -> String? {
        guard let event = tookBack else { return nil }
        let isOwn = try device.ownReplicas().contains(event.id.replica)
        let name = isOwn ? nil : state.name(of: event.id.replica)
        let ago = AgoText.text(now - event.time)
        return "Took back the \(event.action.words)\(name.map { " pressed on \($0)" } ?? "") (\(ago))."
    }

    /// What an entry that was added or given other times overlaps with, as a sentence; nil where that is nothing.
    private func overlapSentence(_ zone: LocalZone) -> String? {
        guard let first = overlaps.first else { return nil }
        let times = "\(zone.clock(first.startedAt))-\(zone.clock(first.endedAt))"
        let what = [zone.time(at: first.startedAt).day.name, times, first.activity.words, first.label]
        let more = overlaps.count == 1 ? "" : ", and with \(overlaps.count - 1) more"
        let isMoved = events.contains { if case .retime = $0.action { true } else { false } }
        return "It \(isMoved ? "overlaps" : "is in the history, and overlaps") with the entry of "
            + "\(what.filter { !$0.isEmpty }.joined(separator: ", "))\(more)."
    }
}

extension Performed {
    /// Since when a press counts that was said to have happened longer ago, and why not since then, as a sentence; nil
    /// where it does.
    package var backdatingSentence: String? { backdating?.sentence("counts", now: now) }
}

extension Performed.Backdating {
    /// From when it counts, or would count, and why not since longer ago; nil where it does.
    ///
    /// - Parameters:
    ///   - verb: "counts", or whatever it would do.
    ///   - now: In shared time.
    package func sentence(_ verb: String, now: SharedInstant) -> String? {
        guard let obstacle else { return nil }
        return "It \(verb) from \(AgoText.text(now - effective)): \(obstacle.words)."
    }
}

extension Performed.Backdating.Obstacle {
    fileprivate var words: String {
        switch self {
        case .workLength: "a start reaches back one work phase at most"
        case .ending: "not before the end of a session that was left alone"
        case .press(.adopt, let name, _): "not before \(name ?? "this laptop") made the session everyone's"
        case .press(let action, let name, let isAside):
            "not before the \(action.words) pressed on \(name ?? "this laptop")"
                + (isAside ? ", in a session of its own" : "")
        }
    }
}

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
