package import FocusCore

// Values that are stored beside the log and contain names of its events.
extension DeviceStore {
    /// Returns the other laptop's late press that the person was told about; nil if there is none. An undo of
    /// it needs no confirmation. The person already knows that the undo restores the work that the press
    /// removed from the history.
    package func latePress() throws(StoreError) -> EventID? { try eventID(.latePress) }

    /// Stores the late press; nil removes it. It is kept until the next press on this device.
    package func setLatePress(_ event: EventID?) throws(StoreError) { try setEventID(event, .latePress) }

    /// Returns the last press when the person answered that time away stays counted; nil if there is none.
    package func keptPress() throws(StoreError) -> EventID? { try eventID(.keptPress) }

    /// Stores the last press at an answer that time away stays counted; nil removes it.
    package func setKeptPress(_ event: EventID?) throws(StoreError) { try setEventID(event, .keptPress) }

    /// Returns the `start` with which the device last continued a work phase by itself (`PhaseContinuation`);
    /// nil if there is none, or if it doesn't matter any more.
    package func continuation() throws(StoreError) -> EventID? { try eventID(.continuation) }

    /// Stores the `start` that continues a work phase; nil removes it.
    package func setContinuation(_ event: EventID?) throws(StoreError) {
        try setEventID(event, .continuation)
    }

    private func eventID(_ key: StoredValueKey) throws(StoreError) -> EventID? {
        guard let bytes = try value(key) else { return nil }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Failure) {
            return EventID(replica: ReplicaID(rawValue: try reader.fixed()), seq: try reader.varint())
        } catch { return nil }
    }

    private func setEventID(_ event: EventID?, _ key: StoredValueKey) throws(StoreError) {
        guard let event else { return try setValue(nil, for: key) }
        var writer = ByteWriter()
        writer.fixed(event.replica.rawValue)
        writer.varint(event.seq)
        try setValue(writer.bytes, for: key)
    }

    /// Returns the offline work noted before the device merged the other laptops' events; nil if there is
    /// none, or it can't be read.
    package func offlineWorkNote() throws(StoreError) -> OfflineWorkNote? {
        try value(.offlineWorkNote).flatMap { try? OfflineWorkNote(encoded: $0) }
    }

    /// Stores the offline work; nil removes it.
    package func setOfflineWorkNote(_ note: OfflineWorkNote?) throws(StoreError) {
        if note == nil, try value(.offlineWorkNote) == nil { return }
        try setValue(note?.encoded(), for: .offlineWorkNote)
    }

    /// Renames events that moved to a branch or were written again, in every value kept beside the log.
    ///
    /// - Parameters:
    ///   - events: The events under their old names.
    ///   - renamed: The same events under their new names, in the same order. It may end earlier.
    func renameInValues(_ events: [Event], as renamed: [Event]) throws(StoreError) {
        var ids: [EventID: EventID] = [:]
        var runs: [RunID: RunID] = [:]
        var stamps: [Stamp: Stamp] = [:]
        for (event, renamed) in zip(events, renamed) {
            ids[event.id] = renamed.id
            runs[RunID(event.position)] = RunID(renamed.position)
            stamps[event.stamp] = renamed.stamp
        }
        var suspensions = try storedSuspensions()
        for index in suspensions.indices {
            suspensions[index].pause = suspensions[index].pause.map { ids[$0] ?? $0 }
        }
        try setStoredSuspensions(suspensions)
        try setReturnUndos(Set(returnUndos().map { stamps[$0] ?? $0 }))
        if let press = try latePress(), let renamed = ids[press] { try setLatePress(renamed) }
        if let press = try keptPress(), let renamed = ids[press] { try setKeptPress(renamed) }
        if let start = try continuation(), let renamed = ids[start] { try setContinuation(renamed) }
        if let note = try offlineWorkNote() { try setOfflineWorkNote(note.renaming { runs[$0] ?? $0 }) }
    }
}
