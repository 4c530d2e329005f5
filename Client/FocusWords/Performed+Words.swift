import FocusCore
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
