import FocusCore
import FocusStore
import FocusText

extension Performed {
    /// What was done besides the press, what an undo took back, or what an added entry overlaps with, in sentences;
    /// nil where the state says all.
    func sentence(_ device: Device) throws(StoreError) -> String? {
        let sentences =
            woken.map { SyncNotice.woke($0).description }
            + [try tookBackSentence(device), overlapSentence].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// What an undo or a redo took back, as a sentence; nil where it was none.
    private func tookBackSentence(_ device: Device) throws(StoreError) -> String? {
        guard let event = tookBack else { return nil }
        let isOwn = try device.ownReplicas().contains(event.id.replica)
        let name = isOwn ? nil : state.name(of: event.id.replica)
        let ago = AgoText.text(milliseconds: now - event.time)
        return "Took back the \(event.action.words)\(name.map { " pressed on \($0)" } ?? "") (\(ago))."
    }

    /// What an entry that was added overlaps with, as a sentence; nil where that is nothing.
    private var overlapSentence: String? {
        guard let first = overlaps.first else { return nil }
        let times = "\(LocalTime(first.startedAt).clock)-\(LocalTime(first.endedAt).clock)"
        let what = [
            LocalCalendar.here.day(of: first.startedAt).name, times, first.activity.words, first.label,
        ]
        let more = overlaps.count == 1 ? "" : ", and with \(overlaps.count - 1) more"
        return "It is in the history, and overlaps with the entry of "
            + "\(what.filter { !$0.isEmpty }.joined(separator: ", "))\(more)."
    }
}
