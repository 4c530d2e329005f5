import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusLink
package import FocusStore
package import FocusText

extension InteractionResult {
    /// Returns the sentences about effects that people can't see in the timer's state: a pause for a
    /// suspension, the event that an undo took back, or entries that overlap. Returns nil if there are none.
    ///
    /// - Parameter zone: The time zone of the times in the sentences.
    package func sentence(_ device: Device, by zone: LocalZone = .current) throws(StoreError) -> String? {
        let sentences =
            suspensionDeeds.map { SyncNotice.woke($0).sentence }
            + [try tookBackSentence(device), overlapSentence(zone)].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// The sentence that says what an undo or a redo took back; nil if the press was neither.
    private func tookBackSentence(_ device: Device) throws(StoreError) -> String? {
        guard let event = undoneEvent else { return nil }
        let isOwn = try device.ownReplicas().contains(event.id.replica)
        let name = isOwn ? nil : state.name(of: event.id.replica)
        let ago = AgoText.text(now - event.time)
        return "Took back the \(event.action.words)\(name.map { " pressed on \($0)" } ?? "") (\(ago))."
    }

    /// The sentence that says which entries overlap with the added or moved entry; nil if none do.
    private func overlapSentence(_ zone: LocalZone) -> String? {
        guard let first = overlaps.first else { return nil }
        let times = "\(zone.clock(first.startedAt))-\(zone.clock(first.endedAt))"
        let parts = [zone.time(at: first.startedAt).day.name, times, first.activity.words, first.label]
        let more = overlaps.count == 1 ? "" : ", and with \(overlaps.count - 1) more"
        let isMoved = events.contains { if case .retime = $0.action { true } else { false } }
        return "It \(isMoved ? "overlaps" : "is in the history, and overlaps") with the entry of "
            + "\(parts.filter { !$0.isEmpty }.joined(separator: ", "))\(more)."
    }
}

extension InteractionResult {
    /// The sentence that says since when a backdated press counts, and why not for longer. Nil if it counts
    /// since the instant that was asked for.
    package var backdatingSentence: String? { backdating?.sentence("counts", now: now) }
}

extension InteractionResult.Backdating {
    /// The sentence that says since when the press counts, and why not for longer. Nil if it counts since the
    /// instant that was asked for.
    ///
    /// - Parameters:
    ///   - verb: The verb of the sentence: "counts" or "would count".
    ///   - now: The present instant, in shared time.
    package func sentence(_ verb: String, now: SharedInstant) -> String? {
        guard let obstacle else { return nil }
        let ago = now - effective
        let since = ago < .seconds(1) ? "now on" : AgoText.text(ago)
        return "It \(verb) from \(since): \(obstacle.words)."
    }
}

extension InteractionResult.Backdating.Obstacle {
    fileprivate var words: String {
        switch self {
        case .workLength: "a start reaches back one work phase at most"
        case .phase: "not before the phase began"
        case .ending: "not before the end of an idle session"
        case .press(.adopt, let name, _): "not before \(name ?? "this laptop") made the session everyone's"
        case .press(let action, let name, let isAside):
            "not before the \(action.words) pressed on \(name ?? "this laptop")"
                + (isAside ? ", in a session of its own" : "")
        }
    }
}

extension Action {
    /// The name of the action in messages, to be read after "the".
    var words: String {
        switch self {
        case .start: "start"
        case .pause: "pause"
        case .resume: "resume"
        case .stop: "stop"
        case .skip: "skip"
        case .complete: "completion"
        case .rest: "break"
        case .adjust(_, _, let seconds, _):
            "\(DurationText.text(.seconds(seconds.magnitude))) \(seconds < 0 ? "less" : "more")"
        case .label(_, let text, _): text.isEmpty ? "empty label" : "label '\(text)'"
        case .adopt: "session taken over"
        case .set(let key, _): "change of \(key)"
        case .profile(let name, let lengths): "\(lengths == nil ? "removal of " : "")profile '\(name)'"
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
    /// The sentence that says what the late press removed from the history, and how to bring that back.
    ///
    /// - Parameter name: The name of the laptop on which the press was made.
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
        case .complete: "completed a phase"
        case .rest: "began a break"
        case .start: "started again"
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
