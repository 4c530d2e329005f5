package import FocusCore

/// The epochs with a record that a connection's client lacks. The records are read and sent piece by piece,
/// as the client takes them.
struct OutgoingEpochs {
    /// The epochs with a record that the group had at the welcome, until the client says which records it
    /// has.
    private var offered: [EpochID] = []
    /// The epochs still to be sent, in order.
    private var unsent = OrderedKeys<EpochID>()
    /// The epochs being read; empty if no read is under way.
    private var reading: [EpochID] = []

    /// The number of epochs still to be sent.
    var count: Int { unsent.count }

    /// Stores the epochs that the welcome names: the group has a record with a body for each. No record is
    /// sent before `start`.
    mutating func offer(_ epochs: [EpochID]) { offered = epochs }

    /// Begins to send the offered epochs, except epochs that the client has.
    ///
    /// - Parameter known: The epochs of the records that the client has.
    mutating func start(_ known: [EpochID]) {
        let known = Set(known)
        for epoch in offered where !known.contains(epoch) { unsent.append(epoch) }
        offered = []
    }

    /// Adds an epoch to be sent later.
    mutating func add(_ epoch: EpochID) { unsent.append(epoch) }

    /// Starts the next read.
    ///
    /// - Returns: The epochs to read. Nil if there are none, or if a read is under way.
    mutating func nextRead() -> [EpochID]? {
        guard reading.isEmpty, !unsent.isEmpty else { return nil }
        reading = unsent.prefix(Limits.epochPiece)
        return reading
    }

    /// Ends the read under way. At least one epoch counts as looked up, so that each read makes progress.
    ///
    /// - Parameter count: The number of requested epochs that were looked up, from the first on.
    mutating func loaded(_ count: Int) {
        for epoch in reading.prefix(max(1, count)) { unsent.remove(epoch) }
        reading = []
    }
}

/// An epoch's record, encoded once for all connections that it is sent to.
package struct EncodedEpochRecord: Hashable, Sendable {
    /// The epoch of the record.
    package let epoch: EpochID
    /// The whole frame.
    package let frame: [UInt8]

    /// Encodes the message with this record, in time proportional to its body.
    package init(_ record: EpochRecord) {
        epoch = record.epoch
        frame = Message.epoch(record).encoded()
    }
}

/// The changes of the group's devices that wait until a connection's client takes more. Only the last state
/// of each device is kept.
struct PendingDeviceChanges {
    private var revoked = OrderedKeys<Digest>()
    /// The devices in `presence`, in the order in which they changed.
    private var changed = OrderedKeys<Digest>()
    private var presence: [Digest: Presence] = [:]

    /// The number of changes that wait.
    var count: Int { revoked.count + changed.count }

    mutating func add(_ presence: Presence) {
        changed.append(presence.device)
        self.presence[presence.device] = presence
    }

    mutating func add(revoked device: Digest) { revoked.append(device) }

    /// Removes the first changes and returns the message that tells them; nil if there are
    /// none. Revocations come first.
    mutating func next() -> Message? {
        if let device = revoked.first {
            revoked.remove(device)
            return .revoked(device)
        }
        let devices = changed.prefix(Limits.presencePiece)
        guard !devices.isEmpty else { return nil }
        return .presence(
            devices.compactMap { device in
                changed.remove(device)
                return presence.removeValue(forKey: device)
            })
    }
}
