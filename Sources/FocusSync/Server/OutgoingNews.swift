package import FocusCore

/// The epochs of which a connection's client lacks the record. They are read and sent piece by piece, as the
/// client takes them.
struct OutgoingEpochs {
    /// The epochs of which the group had a record with a body at the welcome.
    private var offered: [EpochID] = []
    /// The epochs still to be sent, in order.
    private var lacking = OrderedKeys<EpochID>()
    /// The epochs being read; empty if no read is under way.
    private var asked: [EpochID] = []

    /// The number of epochs still to be sent.
    var count: Int { lacking.count }

    /// Stores the epochs of which the group has a record with a body. No record is sent before the client has
    /// said which records it has.
    mutating func add(_ epochs: [EpochID]) { offered = epochs }

    /// Notes the epochs that the client has. The other offered epochs are sent.
    mutating func start(_ known: [EpochID]) {
        let known = Set(known)
        for epoch in offered where !known.contains(epoch) { lacking.append(epoch) }
        offered = []
    }

    /// Adds an epoch to be sent later.
    mutating func add(_ epoch: EpochID) { lacking.append(epoch) }

    /// Starts the next read.
    ///
    /// - Returns: The epochs to read. Nil if there are none, or if a read is under way.
    mutating func nextRead() -> [EpochID]? {
        guard asked.isEmpty, !lacking.isEmpty else { return nil }
        asked = lacking.prefix(Limits.epochPiece)
        return asked
    }

    /// Ends the read under way. At least one epoch counts as looked up.
    ///
    /// - Parameter count: The number of requested epochs that were looked up, from the first on.
    mutating func loaded(_ count: Int) {
        for epoch in asked.prefix(max(1, count)) { lacking.remove(epoch) }
        asked = []
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
