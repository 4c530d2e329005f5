package import FocusCore

/// The epochs whose records a connection's client lacks: they are read and sent piece by piece, as it takes them.
struct OutgoingEpochs {
    /// The group had records with bodies of these at the welcome.
    private var offered: [EpochID] = []
    private var lacking = OrderedKeys<EpochID>()
    /// What is being read.
    private var asked: [EpochID] = []

    /// How many epochs it keeps.
    var count: Int { lacking.count }

    /// The group has records with bodies of all these. The client has to say which it has before it is sent any.
    mutating func add(_ epochs: [EpochID]) { offered = epochs }

    /// The client has these.
    mutating func start(_ known: [EpochID]) {
        let known = Set(known)
        for epoch in offered where !known.contains(epoch) { lacking.append(epoch) }
        offered = []
    }

    /// The client is to be sent this one later.
    mutating func add(_ epoch: EpochID) { lacking.append(epoch) }

    /// What is to be read next; nil where there is nothing, or a reading is under way.
    mutating func nextRead() -> [EpochID]? {
        guard asked.isEmpty, !lacking.isEmpty else { return nil }
        asked = lacking.prefix(Limits.epochPiece)
        return asked
    }

    /// The first so many of what was asked for were looked up.
    mutating func loaded(_ count: Int) {
        for epoch in asked.prefix(max(1, count)) { lacking.remove(epoch) }
        asked = []
    }
}

/// An epoch's record, encoded once for all the connections it is sent to.
package struct EpochNews: Hashable, Sendable {
    /// The epoch that the record is of.
    package let epoch: EpochID
    /// The whole frame.
    package let frame: [UInt8]

    /// Encodes the message with this record, which takes time in proportion to its body.
    package init(_ record: EpochRecord) {
        epoch = record.epoch
        frame = Message.epoch(record).encoded()
    }
}

/// What a connection's client is to be told of the group's devices once it takes more: the last of each device.
struct DeviceNews {
    private var revoked = OrderedKeys<Digest>()
    /// The devices in `presence`.
    private var changed = OrderedKeys<Digest>()
    private var presence: [Digest: Presence] = [:]

    /// How many pieces of news there are.
    var count: Int { revoked.count + changed.count }

    mutating func add(_ presence: Presence) {
        changed.append(presence.device)
        self.presence[presence.device] = presence
    }

    mutating func add(revoked device: Digest) { revoked.append(device) }

    /// What is to be said first, which is then done with; nil where there is nothing.
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
