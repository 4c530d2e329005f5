package import FocusCore
package import FocusStore

// What every front end shows until somebody presses anything: a notification may have been missed.
extension Device {
    /// What was resolved since the last press here, as the person was told of it: the log's file has it as a text, which a
    /// program of another version that has the same log open shows too. Nil where nothing was.
    func resolved() throws(StoreError) -> String? { try store.text(.resolved) }

    /// Takes note of it, in the words that the person was told it in.
    package func noteResolved(_ sentence: String) throws(StoreError) {
        try store.setText(sentence, for: .resolved)
    }

    /// Somebody has pressed something, and seen what there was to see.
    func forgetResolved() throws(StoreError) {
        if try resolved() != nil { try store.setText(nil, for: .resolved) }
        if try store.latePress() != nil { try store.setLatePress(nil) }
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
    package func setLatePress(_ event: EventID?) throws(StoreError) {
        guard let event else { return try setValue(nil, for: .latePress) }
        var writer = ByteWriter()
        writer.fixed(event.replica.rawValue)
        writer.varint(event.seq)
        try setValue(writer.bytes, for: .latePress)
    }
}

extension DeviceStore {
    /// What was noted to have been shown before the others' events were taken in; nil where nothing was, or it can't be
    /// read.
    package func shownWork() throws(StoreError) -> ShownWork? {
        try value(.shownWork).flatMap { try? ShownWork(encoded: $0) }
    }

    /// Keeps that note; nil takes it away.
    package func setShownWork(_ shown: ShownWork?) throws(StoreError) {
        if shown == nil, try value(.shownWork) == nil { return }
        try setValue(shown?.encoded(), for: .shownWork)
    }
}
