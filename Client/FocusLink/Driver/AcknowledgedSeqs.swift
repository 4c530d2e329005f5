import FocusCore
import FocusStore

/// How far the server was known to have each replica when a connection was opened, and what its welcome makes of that.
struct AcknowledgedSeqs {
    private let seqs: [ReplicaID: UInt64]

    init(_ replicas: [StoredReplica] = []) {
        seqs = Dictionary(replicas.map { ($0.id, $0.acknowledged) }) { $1 }
    }

    /// How far the server is known to have each of these replicas after its welcome.
    ///
    /// A restored server has less than before; what it has is acknowledged as the session finds it equal. But what another
    /// connection was told since this one was opened may well be later than the welcome.
    func welcomed(by vector: VersionVector, _ replicas: [StoredReplica]) -> [ReplicaID: UInt64] {
        Dictionary(
            replicas.map { replica in
                let isNews = replica.acknowledged > seqs[replica.id] ?? 0
                let seq = isNews ? replica.acknowledged : min(replica.acknowledged, vector[replica.id].seq)
                return (replica.id, seq)
            }
        ) { $1 }
    }
}
