package import FocusCore

/// A version vector in the order of the wire, sorted and encoded once for all the connections that are told of it.
package struct ListedVector: Sendable {
    /// Every replica and its last seq, ascending by replica.
    let seqs: [(replica: ReplicaID, seq: UInt64)]
    /// As it is sent: `Limits.heads` of the replicas at most.
    let bytes: [UInt8]

    /// Nothing.
    init() { self.init(VersionVector()) }

    /// Lists a vector. Takes time for sorting it.
    package init(_ vector: VersionVector) {
        let heads = vector.heads.sorted { $0.key < $1.key }
        var writer = ByteWriter()
        writer.list(heads, limit: Limits.heads) { writer, entry in
            writer.replica(entry.key)
            writer.head(entry.value)
        }
        seqs = heads.map { ($0.key, $0.value.seq) }
        bytes = writer.bytes
    }
}
