import FocusCore
import FocusStore

extension Performed {
    /// What was done besides the press, or what an undo took back, in sentences; nil where the state says all.
    func sentence(_ device: Device) throws(StoreError) -> String? {
        let sentences =
            woken.map { SyncNotice.woke($0).description } + [try tookBackSentence(device)].compactMap(\.self)
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
}
