package import FocusCore
package import FocusStore

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
