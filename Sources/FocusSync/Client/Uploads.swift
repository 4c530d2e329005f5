import FocusCore

/// What the client has to upload, and what is under way.
struct Uploads {
    /// The replicas of which the server may lack something, in the order in which that was found.
    private var queue = OrderedKeys<ReplicaID>()
    /// What the shell is reading for the next upload.
    private(set) var reading: (replica: ReplicaID, from: UInt64)?
    /// The uploads that haven't been answered.
    private var underWay = SegmentQueue()

    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether another upload may be prepared.
    var hasRoom: Bool { reading == nil && underWay.bytes < Limits.uploadWindow }

    /// The replica to go on with.
    var next: ReplicaID? { queue.first }

    mutating func add(_ replica: ReplicaID) { queue.append(replica) }

    /// There is nothing to upload of the replica for now.
    mutating func drop(_ replica: ReplicaID) { queue.remove(replica) }

    mutating func read(_ replica: ReplicaID, from seq: UInt64) { reading = (replica, seq) }

    /// What was read, if it is what was asked for.
    mutating func loaded(_ replica: ReplicaID) -> UInt64? {
        guard let asked = reading, asked.replica == replica else { return nil }
        reading = nil
        return asked.from
    }

    mutating func send(_ segment: Segment) { underWay.append(segment) }

    /// The last seq of the upload that an acknowledgement answers; nil where there is none.
    mutating func answered(_ replica: ReplicaID) -> UInt64? { underWay.next(replica)?.lastSeq }
}
