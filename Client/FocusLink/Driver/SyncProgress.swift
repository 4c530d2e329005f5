import FocusCore
import FocusStore
import FocusSync

/// The server's acknowledgements and refusals of events on one connection, and the number of events moved.
struct SyncProgress {
    private let store: DeviceStore
    /// The seq up to which the server had acknowledged each replica when the connection opened.
    private var acknowledged: [ReplicaID: UInt64] = [:]
    /// The numbers of events sent and received, which the driver reports.
    private(set) var traffic = SyncTraffic()
    /// Whether the store has the code with which the server refused this device's pending events
    /// (`Device.pendingRefusal`).
    private var hasStoredRefusal = false
    /// Whether the server has acknowledged events and the observer hasn't been told yet.
    private var hasAcknowledged = false
    /// The replicas with more unreadable data at the server than this device keeps.
    private var excessive: Set<ReplicaID> = []

    init(_ store: DeviceStore) { self.store = store }

    mutating func opened() throws(StoreError) {
        acknowledged = [:]
        for replica in try store.replicas() { acknowledged[replica.id] = replica.acknowledged }
    }

    /// Lowers the acknowledged seqs to those of a welcome, because a restored server has fewer events than
    /// before. They rise again when the session finds that both sides have the same events. A seq that has
    /// grown since this connection opened stays: another connection got it, perhaps after the welcome.
    func correctAcknowledged(by vector: VersionVector) throws(StoreError) {
        var seqs: [ReplicaID: UInt64] = [:]
        for replica in try store.replicas() {
            let hasGrown = replica.acknowledged > acknowledged[replica.id] ?? 0
            let limit = hasGrown ? replica.acknowledged : vector[replica.id].seq
            seqs[replica.id] = min(replica.acknowledged, limit)
        }
        try store.setAcknowledged(seqs)
    }

    /// Updates the records of obstacles and refusals after a welcome.
    mutating func welcomed() throws(StoreError) {
        if try store.value(.obstacle) != nil { try store.setValue(nil, for: .obstacle) }
        // The server may still refuse the pending events. A connection that sends nothing doesn't find out.
        hasStoredRefusal = try store.value(.stop) != nil
        if hasStoredRefusal, try store.pendingCount() == 0 { try removeStoredRefusal() }
    }

    mutating func merged(_ count: Int) { traffic.received += UInt64(count) }

    /// Records that a replica has unreadable data beyond the limit.
    ///
    /// - Returns: Whether to tell people: true only at the first call.
    mutating func recordExcess(of replica: ReplicaID) -> Bool {
        defer { excessive.insert(replica) }
        return excessive.isEmpty
    }

    /// Records the code with which a replica's events are refused. `.rate` isn't recorded, because then the
    /// server takes them gradually. For a replica with an excess of unreadable data, `.groupFull` isn't
    /// recorded either: this device's own log has no room for it.
    ///
    /// - Returns: Whether to tell people: false for an excess, because they were told of it already.
    mutating func stopped(_ code: RefusalCode, of replica: ReplicaID? = nil) throws(StoreError) -> Bool {
        if code == .groupFull, let replica, excessive.contains(replica) { return false }
        guard code != .rate else { return true }
        hasStoredRefusal = true
        try store.setValue([code.rawValue], for: .stop)
        return true
    }

    private mutating func removeStoredRefusal() throws(StoreError) {
        hasStoredRefusal = false
        try store.setValue(nil, for: .stop)
    }

    mutating func acknowledge(_ replica: ReplicaID, through seq: UInt64) throws(StoreError) {
        let before = try store.replica(replica)?.acknowledged ?? 0
        try store.acknowledge(replica, through: seq)
        hasAcknowledged = true
        if hasStoredRefusal { try removeStoredRefusal() }
        traffic.sent += seq > before ? seq - before : 0
    }

    /// Returns whether events were acknowledged since the last call.
    mutating func endAcknowledging() -> Bool {
        defer { hasAcknowledged = false }
        return hasAcknowledged
    }
}
