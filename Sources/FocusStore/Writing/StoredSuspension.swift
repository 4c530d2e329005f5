package import FocusCore

/// A suspension of the machine during a run. It is kept until the device knows whether another device was in
/// use meanwhile.
package struct StoredSuspension: Hashable, Sendable {
    /// The instants at which the suspension began and ended.
    package let sleep: Suspension
    /// The pause that this device wrote because of the suspension; nil if it has written none.
    package var pause: EventID?

    /// Creates a stored suspension, by default without a pause.
    package init(_ sleep: Suspension, pause: EventID? = nil) {
        self.sleep = sleep
        self.pause = pause
    }
}

extension DeviceStore {
    /// Returns the stored suspensions, in order. Empty if they can't be read.
    package func storedSuspensions() throws(StoreError) -> [StoredSuspension] {
        guard let bytes = try value(.sleep) else { return [] }
        return (try? [StoredSuspension](encoded: bytes)) ?? []
    }

    /// Replaces the stored suspensions.
    package func setStoredSuspensions(_ sleeps: [StoredSuspension]) throws(StoreError) {
        guard try storedSuspensions() != sleeps else { return }
        try setValue(sleeps.isEmpty ? nil : sleeps.encoded(), for: .sleep)
    }
}

extension DeviceStore {
    /// Returns the absence from this device that is in progress, or about which a question is open. Nil if
    /// there is none, or if it can't be read.
    package func absence() throws(StoreError) -> Absence? {
        guard let bytes = try value(.absence) else { return nil }
        return try? Absence(encoded: bytes)
    }

    /// Replaces the stored absence; nil removes it.
    package func setAbsence(_ absence: Absence?) throws(StoreError) {
        guard try self.absence() != absence else { return }
        try setValue(absence?.encoded(), for: .absence)
    }
}

extension Absence {
    fileprivate func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.signed(from)
        if let until { writer.signed(until) }
        return writer.bytes
    }

    fileprivate init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        let from = try reader.signedInstant()
        let until = try reader.remaining > 0 ? reader.signedInstant() : nil
        guard reader.remaining == 0, let absence = Absence(from: from, until: until) else {
            throw .invalidValue
        }
        self = absence
    }
}

extension [StoredSuspension] {
    fileprivate func encoded() -> [UInt8] {
        var writer = ByteWriter()
        for stored in self {
            writer.signed(stored.sleep.from)
            writer.signed(stored.sleep.until)
            writer.flag(stored.pause != nil)
            guard let pause = stored.pause else { continue }
            writer.fixed(pause.replica.rawValue)
            writer.varint(pause.seq)
        }
        return writer.bytes
    }

    fileprivate init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        self = []
        var reader = ByteReader(bytes)
        while reader.remaining > 0 {
            guard let sleep = Suspension(from: try reader.signedInstant(), until: try reader.signedInstant())
            else {
                throw .invalidValue
            }
            var pause: EventID?
            if try reader.flag() {
                pause = EventID(replica: ReplicaID(rawValue: try reader.fixed()), seq: try reader.varint())
            }
            append(StoredSuspension(sleep, pause: pause))
        }
    }
}

// A connection may break after only a part of the pending events was uploaded. Then the device returns
// again. The pending events may then include undos that it wrote by itself on the earlier return. It must
// not take these for undos that a person pressed (docs/timer-rules.md §5).
extension DeviceStore {
    /// Returns the stamps of undos that the device wrote by itself on returning, if no server ever had them.
    /// Empty if the stored stamps can't be read.
    package func returnUndos() throws(StoreError) -> Set<Stamp> {
        guard let bytes = try value(.returnUndos) else { return [] }
        var reader = ByteReader(bytes)
        var stamps: Set<Stamp> = []
        while let stamp = try? reader.fixed() as UInt64 { stamps.insert(Stamp(rawValue: stamp)) }
        return stamps
    }

    /// Replaces the stored stamps of these undos.
    package func setReturnUndos(_ stamps: Set<Stamp>) throws(StoreError) {
        guard try stamps != returnUndos() else { return }
        var writer = ByteWriter()
        for stamp in stamps.sorted() { writer.fixed(stamp.rawValue) }
        try setValue(stamps.isEmpty ? nil : writer.bytes, for: .returnUndos)
    }
}
