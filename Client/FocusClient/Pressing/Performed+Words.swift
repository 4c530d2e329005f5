import FocusCore
import FocusStore

extension Performed {
    /// What an undo or a redo took back, as a sentence; nil where it was none.
    func tookBackSentence(_ device: Device) throws(StoreError) -> String? {
        guard let event = tookBack else { return nil }
        let isOwn = try device.ownReplicas().contains(event.id.replica)
        let name = isOwn ? nil : state.devices[event.id.replica]?.name
        let ago = AgoText.text(milliseconds: now - event.time)
        return "Took back the \(event.action.words)\(name.map { " pressed on \($0)" } ?? "") (\(ago))."
    }
}
