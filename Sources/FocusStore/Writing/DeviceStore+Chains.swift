import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// The replicas of which events wait to be chained. Whoever syncs does that before it says what the log has: a
    /// command that only presses need know nothing of keys and hashes.
    package func unchainedReplicas() throws(StoreError) -> [StoredReplica] {
        try replicas().filter { $0.chained.seq < $0.seq }
    }

    /// Keeps the chains of the events that follow `head`, the replica's last chained one.
    ///
    /// Does nothing where the replica's last chained event is another by now: then another process has done it.
    package func setChains(
        of replica: ReplicaID, after head: Head, _ chains: [Chain]
    ) throws(StoreError) {
        try writing(.normal) {
            guard var row = try row(of: replica), row.chained == head,
                UInt64(chains.count) <= row.seq - head.seq
            else { return }
            for chain in chains {
                row.chained = Head(seq: row.chained.seq + 1, chain: chain)
                try database.run(
                    "UPDATE events SET chain = ? WHERE replica = ? AND seq = ?",
                    chain, replica, row.chained.seq)
            }
            try upsert(row)
        }
    }
}
