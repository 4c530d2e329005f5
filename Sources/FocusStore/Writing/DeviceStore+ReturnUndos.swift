package import FocusCore

// A connection may break when part of what is pending has gone up: then the device returns again, and has to know which
// of the undos that are still pending a person pressed (docs/timer-rules.md §5).
extension DeviceStore {
    /// The stamps of the undos that the device wrote by itself on returning, and that no server ever had; none where that
    /// can't be read.
    package func returnUndos() throws(StoreError) -> Set<Stamp> {
        guard let bytes = try value(.returnUndos) else { return [] }
        var reader = ByteReader(bytes)
        var stamps: Set<Stamp> = []
        while let stamp = try? reader.fixed() as UInt64 { stamps.insert(Stamp(rawValue: stamp)) }
        return stamps
    }

    /// Keeps these stamps in place of those that are kept.
    package func setReturnUndos(_ stamps: Set<Stamp>) throws(StoreError) {
        guard try stamps != returnUndos() else { return }
        var writer = ByteWriter()
        for stamp in stamps.sorted() { writer.fixed(stamp.rawValue) }
        try setValue(stamps.isEmpty ? nil : writer.bytes, for: .returnUndos)
    }

    /// Keeps the stamps that some of them have now, as their events are written anew.
    ///
    /// - Parameters:
    ///   - events: What is written anew, as it was called.
    ///   - anew: The same events, one for one, as they are called now.
    func renameReturnUndos(among events: [Event], as anew: [Event]) throws(StoreError) {
        let before = try returnUndos()
        let renamed = zip(events, anew).filter { before.contains($0.0.stamp) }
        try setReturnUndos(
            before.subtracting(renamed.map { $0.0.stamp }).union(renamed.map { $0.1.stamp }))
    }
}
