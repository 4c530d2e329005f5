import FocusCore

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
    mutating func note(_ epochs: [EpochID]) { offered = epochs }

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
