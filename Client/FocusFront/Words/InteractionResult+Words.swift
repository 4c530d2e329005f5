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
    /// - Parameters:
    ///   - zone: The time zone of the times in the sentences.
    ///   - namesAge: Whether to say how long ago an undone event was. A sentence that stays doesn't.
    ///   - namesHandle: Whether to give the handle of an overlapping entry, which commands take.
    package func sentence(
        _ device: Device, by zone: LocalZone = .current, namesAge: Bool = true, namesHandle: Bool = false
    ) throws(StoreError) -> String? {
        let sentences =
            suspensionDeeds.map { SyncNotice.woke($0).sentence }
            + [
                try tookBackSentence(device, namesAge, zone),
                try overlapSentence(device, zone, namesHandle), endedSentence, laterSentence,
            ]
            .compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Returns the sentence about the entry that a stop or a completion recorded; nil if it recorded none, or
    /// for other presses.
    ///
    /// - Parameter namesHandle: Whether to give the entry's handle, which commands take.
    package func recordedSentence(
        _ device: Device, namesHandle: Bool = false
    ) throws(StoreError) -> String? {
        guard let event = events.last else { return nil }
        let run: RunID
        switch event.action {
        case .stop(let id, _), .complete(let id, _, _): run = id
        default: return nil
        }
        let (state, journal) = try device.store.history()
        let history = History(journal, state, at: now)
        let end = backdating?.effective ?? event.time
        guard let record = history.records.last(where: { $0.run == run && $0.endedAt == end }) else {
            return nil
        }
        let line = RecordLine(record, RecordHandles(history).shown(record.name))
        return "Recorded: \(line.listing(by: .current, namesHandle: namesHandle))."
    }

    /// The sentence that says what an undo or a redo took back; nil if the press was neither.
    private func tookBackSentence(
        _ device: Device, _ namesAge: Bool, _ zone: LocalZone
    ) throws(StoreError) -> String? {
        guard let event = undoneEvent else { return nil }
        let isOwn = try device.ownReplicas().contains(event.id.replica)
        let name = isOwn ? nil : state.name(of: event.id.replica)
        let ago = namesAge ? " (\(AgoText.text(now - event.time)))" : ""
        let press = isBegun(by: event) ? "start" : event.action.words
        let entry = try entry(correctedBy: event.action, device).map { ": \($0.place(by: zone))" } ?? ""
        return "Took back the \(press)\(name.map { " pressed on \($0)" } ?? "")\(ago)\(entry)."
    }

    /// Returns the entry that an action corrects, as it is now; nil if it corrects none.
    private func entry(correctedBy action: Action, _ device: Device) throws(StoreError) -> PhaseRecord? {
        let name: RecordName
        switch action {
        case .amend(let amend): name = RecordName(run: amend.run, ordinal: amend.ordinal)
        case .retime(let retime): name = RecordName(run: retime.run, ordinal: retime.ordinal)
        case .split(let split): name = RecordName(run: split.run, ordinal: split.ordinal)
        default: return nil
        }
        let (state, journal) = try device.store.history()
        return History(journal, state, at: now).records.first { $0.name == name }
    }

    /// Whether the event is a `resume` that began a phase: without it, the phase waits to be started.
    private func isBegun(by event: Event) -> Bool {
        guard case .resume(let run, _) = event.action, let shown = TimerState(state, at: now).run else {
            return false
        }
        return shown.id == run && !shown.hasBeenRunning
    }

    /// The sentence that says that less time ended the phase, and how it counts; nil if it didn't.
    private var endedSentence: String? {
        guard case .adjust(let run, let ordinal, let seconds, _) = events.last?.action, seconds < 0,
            let record = state.phases(endedBy: now).first(where: { $0.run == run && $0.ordinal == ordinal })
        else { return nil }
        let length = lengthText(record.active)
        return "That ended the \(record.activity.words) after \(length), and it counts as completed."
    }

    /// The sentence that says that a change of lengths leaves the present phase as it is; nil if that has the
    /// length by the settings, or if they haven't changed its length.
    private var laterSentence: String? {
        guard let activity = TimerState(state, at: now).run?.activity,
            settingsBefore.length(of: activity) != state.settings.length(of: activity),
            events.contains(where: { $0.action.isChangeOfSettings })
        else { return nil }
        return "The present \(activity.words) keeps its length. The change applies from the next one on."
    }

    /// The sentence that says which entries overlap with the added or moved entry; nil if none do.
    private func overlapSentence(
        _ device: Device, _ zone: LocalZone, _ namesHandle: Bool
    ) throws(StoreError) -> String? {
        guard let overlap else { return nil }
        let counting = overlap.sharesFocusTime ? try countingSentences(device, overlap) : ""
        let handle = namesHandle ? " (\(overlap.handle))" : ""
        let more = overlap.count == 1 ? "" : ", and with \(overlap.count - 1) more"
        let isMoved = events.contains { if case .retime = $0.action { true } else { false } }
        return "It \(isMoved ? "overlaps" : "is in the history, and overlaps") with the entry of "
            + "\(overlap.first.place(by: zone))\(handle)\(more).\(counting)"
    }

    /// Returns the sentences about work that counts only once, because the added or moved entry and others
    /// have it.
    private func countingSentences(_ device: Device, _ overlap: Overlap) throws(StoreError) -> String {
        let once = " Focus time in both counts once."
        guard let event = events.last else { return once }
        var name = RecordName(run: RunID(event.position), ordinal: 0)
        if case .retime(let retime) = event.action {
            name = RecordName(run: retime.run, ordinal: retime.ordinal)
        }
        let (state, journal) = try device.store.history()
        let records = History(journal, state, at: now).records
        guard let entry = records.first(where: { $0.name == name }) else { return once }
        let uncounted = records.uncounted
        if uncounted.contains(name) {
            return "\(once) More than half of it is covered, so it doesn't count as completed."
        }
        let count = records.count {
            uncounted.contains($0.name) && $0.startedAt < entry.endedAt && entry.startedAt < $0.endedAt
        }
        guard count > 0 else { return once }
        let subject = overlap.count == 1 ? "that entry" : "\(count) of these"
        let they = count == 1 ? "it doesn't" : "they don't"
        return "\(once) More than half of \(subject) is covered, so \(they) count as completed."
    }
}

extension PhaseRecord {
    /// Returns the sentence about this entry if a new one would have its times.
    package func duplicateSentence(by zone: LocalZone) -> String {
        "The history has an entry of these times already: \(place(by: zone))."
    }

    /// Returns the day, times, kind and label, to be read after "the entry of".
    package func place(by zone: LocalZone) -> String {
        let times = "\(zone.clock(startedAt))-\(zone.clock(endedAt))"
        return [zone.time(at: startedAt).day.name, times, activity.words, label].filter { !$0.isEmpty }
            .joined(separator: ", ")
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
        let wanted = AgoText.text(now - asked)
        let instead = since == wanted ? "" : " instead of \(wanted)"
        return "It \(verb) from \(since)\(instead): \(obstacle.words)."
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
    /// Whether the action changes lengths of phases.
    fileprivate var isChangeOfSettings: Bool {
        switch self {
        case .set, .profile: true
        default: false
        }
    }

    /// The sentence that says that another laptop took the action back.
    package var tookBackSentence: String { "Took back the \(words)." }

    /// The name of the action in messages, to be read after "the".
    package var words: String {
        switch self {
        case .start(let start): start.rest ? "break" : start.begins == nil ? "start" : "planned start"
        case .pause: "pause"
        case .resume: "resume"
        case .stop: "stop"
        case .skip: "skip"
        case .complete: "'done'"
        case .rest: "break"
        case .adjust(_, _, let seconds, _):
            "\(seconds < 0 ? "removed" : "added") \(DurationText.text(.seconds(seconds.magnitude)))"
        case .label(_, let text, _): text.isEmpty ? "empty label" : "label '\(text)'"
        case .adopt: "session taken over"
        case .set(let key, _): "change of \(key)"
        case .profile(let name, let lengths): "\(lengths == nil ? "removal of " : "")profile '\(name)'"
        case .device: "name"
        case .record(let record): record.label.isEmpty ? "entry" : "entry '\(record.label)'"
        case .amend(let amend): amend.words
        case .retime: "change of an entry's times"
        case .split: "splitting of an entry"
        case .undo: "undo"
        case .revoke: "shutting out of a laptop"
        case .readmit: "readmission of a laptop"
        case .unknown: "change that this version doesn't know"
        }
    }
}

extension Action {
    /// Whether the action ends a phase.
    var endsPhase: Bool {
        switch self {
        case .stop, .skip, .complete, .rest: true
        default: false
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
    /// The sentence that says how many work phases no longer count as completed because of the late press.
    ///
    /// - Parameter name: The name of the laptop on which the press was made.
    package func sentence(by name: String, at now: SharedInstant) -> String {
        let deed = event == change ? event.action.deed : "took back the \(change.action.words)"
        let effect =
            phases == 1
            ? "1 work phase no longer counts" : "\(phases) work phases no longer count"
        return "\(name) \(deed) as of \(SinceText.text(effective, at: now)): \(effect) as completed."
    }
}

extension LatePress.Remedy {
    /// The sentence about the press that takes the late press back.
    package var sentence: String {
        switch self {
        case .undo: "'focus undo' brings that back."
        case .redo: "'focus redo' brings that back."
        }
    }
}

extension Event {
    /// The sentence that says that this event of another laptop came before this laptop named the work.
    ///
    /// - Parameters:
    ///   - label: The name that none of the session's phases got.
    ///   - name: The name of the laptop on which the event was pressed; nil if that was said before.
    package func sentence(withoutLabel label: String, by name: String?, at now: SharedInstant) -> String {
        guard let name else { return "The name '\(label)' was not applied." }
        let effective = SinceText.text(min(action.at ?? time, time), at: now)
        return "\(name) \(action.deed) as of \(effective): the name '\(label)' was not applied."
    }
}

extension Action {
    /// The press as a laptop's deed, to be read after its name.
    fileprivate var deed: String {
        switch self {
        case .stop: "stopped the session"
        case .pause: "paused the session"
        case .skip: "skipped a phase"
        case .complete: "completed a phase"
        case .rest: "began a break"
        case .start: "started again"
        default: "pressed (\(words))"
        }
    }
}
