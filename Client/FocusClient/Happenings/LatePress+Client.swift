package import FocusCore
package import FocusStore

extension LatePress {
    /// What happened, and what to do about it.
    func sentence(by name: String) -> String {
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

extension DeviceStore {
    /// The other laptop's press of which the person was told what it took out of the history, and that an undo brings it
    /// back: they needn't be asked again.
    func latePress() throws(StoreError) -> EventID? {
        guard let bytes = try value(.latePress) else { return nil }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Failure) {
            return EventID(replica: ReplicaID(rawValue: try reader.fixed()), seq: try reader.varint())
        } catch { return nil }
    }

    /// Keeps which one it is, until something is pressed here.
    package func keep(latePress event: EventID?) throws(StoreError) {
        guard let event else { return try setValue(nil, for: .latePress) }
        var writer = ByteWriter()
        writer.fixed(event.replica.rawValue)
        writer.varint(event.seq)
        try setValue(writer.bytes, for: .latePress)
    }
}
