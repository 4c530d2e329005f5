package import FocusCore

// Values kept beside the log that name events of the log.
extension DeviceStore {
    /// Returns the other laptop's late press that the person was told about; nil if there is none. The person
    /// knows that an undo of the press restores the work that it removed from the history, so this undo needs
    /// no second confirmation.
    package func latePress() throws(StoreError) -> EventID? {
        guard let bytes = try value(.latePress) else { return nil }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Failure) {
            return EventID(replica: ReplicaID(rawValue: try reader.fixed()), seq: try reader.varint())
        } catch { return nil }
    }

    /// Stores the late press; nil removes it. It is kept until the next press on this device.
    package func setLatePress(_ event: EventID?) throws(StoreError) {
        guard let event else { return try setValue(nil, for: .latePress) }
        var writer = ByteWriter()
        writer.fixed(event.replica.rawValue)
        writer.varint(event.seq)
        try setValue(writer.bytes, for: .latePress)
    }

    /// Returns the offline work noted before the device merged the other laptops' events; nil if there is
    /// none, or it can't be read.
    package func shownWork() throws(StoreError) -> OfflineWorkNote? {
        try value(.shownWork).flatMap { try? OfflineWorkNote(encoded: $0) }
    }

    /// Stores the offline work; nil removes it.
    package func setShownWork(_ shown: OfflineWorkNote?) throws(StoreError) {
        if shown == nil, try value(.shownWork) == nil { return }
        try setValue(shown?.encoded(), for: .shownWork)
    }

    /// Renames events that moved to a branch or were written again, in every value kept beside the log.
    ///
    /// - Parameters:
    ///   - events: The events under their old names.
    ///   - renamed: The same events under their new names, in the same order. The last ones may be missing.
    func renameInValues(_ events: [Event], as renamed: [Event]) throws(StoreError) {
        var ids: [EventID: EventID] = [:]
        var runs: [RunID: RunID] = [:]
        var stamps: [Stamp: Stamp] = [:]
        for (event, renamed) in zip(events, renamed) {
            ids[event.id] = renamed.id
            runs[RunID(event.position)] = RunID(renamed.position)
            stamps[event.stamp] = renamed.stamp
        }
        var sleeps = try storedSuspensions()
        for index in sleeps.indices { sleeps[index].pause = sleeps[index].pause.map { ids[$0] ?? $0 } }
        try setStoredSuspensions(sleeps)
        try setReturnUndos(Set(returnUndos().map { stamps[$0] ?? $0 }))
        if let press = try latePress(), let renamed = ids[press] { try setLatePress(renamed) }
        if let shown = try shownWork() { try setShownWork(shown.renaming { runs[$0] ?? $0 }) }
    }
}
