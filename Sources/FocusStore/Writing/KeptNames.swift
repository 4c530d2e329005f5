package import FocusCore

// What a device keeps beside its log that names events of the log.
extension DeviceStore {
    /// The other laptop's press of which the person was told what it took out of the history, and that an undo brings it
    /// back: they needn't be asked again.
    package func latePress() throws(StoreError) -> EventID? {
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

    /// What was noted to have been shown before the others' events were taken in; nil if nothing was, or it can't be read.
    package func shownWork() throws(StoreError) -> ShownWork? {
        try value(.shownWork).flatMap { try? ShownWork(encoded: $0) }
    }

    /// Keeps that note; nil takes it away.
    package func setShownWork(_ shown: ShownWork?) throws(StoreError) {
        if shown == nil, try value(.shownWork) == nil { return }
        try setValue(shown?.encoded(), for: .shownWork)
    }

    /// Renames events that moved to a branch or were written again in everything that the device keeps beside its log.
    ///
    /// - Parameters:
    ///   - events: The events under their old names.
    ///   - renamed: The same events, one for one, or the first of them, under their new names.
    func renameKept(_ events: [Event], as renamed: [Event]) throws(StoreError) {
        var ids: [EventID: EventID] = [:]
        var runs: [RunID: RunID] = [:]
        var stamps: [Stamp: Stamp] = [:]
        for (event, renamed) in zip(events, renamed) {
            ids[event.id] = renamed.id
            runs[RunID(event.position)] = RunID(renamed.position)
            stamps[event.stamp] = renamed.stamp
        }
        var sleeps = try keptSleeps()
        for index in sleeps.indices { sleeps[index].pause = sleeps[index].pause.map { ids[$0] ?? $0 } }
        try setKeptSleeps(sleeps)
        try setReturnUndos(Set(returnUndos().map { stamps[$0] ?? $0 }))
        if let press = try latePress(), let renamed = ids[press] { try setLatePress(renamed) }
        if let shown = try shownWork() { try setShownWork(shown.renaming { runs[$0] ?? $0 }) }
    }
}
