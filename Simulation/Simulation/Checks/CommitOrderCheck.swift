import FocusCore
import FocusServerCore
import FocusSync

/// Checks that an uploader is told of a commit before others are (docs/protocol.md, "A session"). It uses
/// only the messages on the server's connections.
struct CommitOrderCheck {
    /// A replica in a group. Malicious groups may use other groups' replicas.
    private struct GroupReplica: Hashable {
        let group: GroupID
        let replica: ReplicaID
    }

    private struct Upload {
        let target: GroupReplica
        let seqs: ClosedRange<UInt64>
    }

    /// The unanswered uploads of each connection, in order.
    private var uploads: [ConnectionID: [Upload]] = [:]
    /// The connections with unanswered uploads of each replica.
    private var uploaders: [GroupReplica: Set<ConnectionID>] = [:]
    /// The last seq of each replica that an uploader was told of.
    private var acknowledged: [GroupReplica: UInt64] = [:]
    /// The uploads of connections that ended before an answer. They may be committed all the same.
    private var lost: [GroupReplica: [ClosedRange<UInt64>]] = [:]

    /// Records an upload on a connection that is in the group.
    mutating func recordUpload(_ segment: Segment, of group: GroupID, on connection: ConnectionID) {
        let target = GroupReplica(group: group, replica: segment.replica)
        uploads[connection, default: []].append(
            Upload(target: target, seqs: segment.firstSeq...segment.lastSeq))
        uploaders[target, default: []].insert(connection)
    }

    /// Records an ack, which answers the connection's first upload of the replica.
    mutating func recordAck(_ ack: Ack, on connection: ConnectionID) {
        guard let index = uploads[connection]?.firstIndex(where: { $0.target.replica == ack.replica }),
            let upload = uploads[connection]?.remove(at: index)
        else { return }
        acknowledged[upload.target] = max(acknowledged[upload.target] ?? 0, ack.head.seq)
        forget(connection, at: upload.target)
    }

    /// Records that a connection is over and receives nothing more.
    mutating func recordEnd(of connection: ConnectionID) {
        for upload in uploads.removeValue(forKey: connection) ?? [] {
            lost[upload.target, default: []].append(upload.seqs)
            forget(connection, at: upload.target)
        }
    }

    /// Checks a push of committed events.
    ///
    /// - Returns: The first of these events that is pushed too early: an uploader waits for its answer, and
    ///   none has been told of the commit. Nil if there is none.
    func early(_ segment: Segment, of group: GroupID) -> EventID? {
        let target = GroupReplica(group: group, replica: segment.replica)
        guard let waiting = uploaders[target] else { return nil }
        let first = max(segment.firstSeq, (acknowledged[target] ?? 0) + 1)
        guard first <= segment.lastSeq else { return nil }
        let news = first...segment.lastSeq
        let unacknowledged = waiting.flatMap { uploads[$0] ?? [] }.compactMap { upload -> UInt64? in
            guard upload.target == target, upload.seqs.overlaps(news) else { return nil }
            let seqs = upload.seqs.clamped(to: news)
            // A lost upload may have been committed, so this push may be of that commit.
            return lost[target]?.contains { $0.overlaps(seqs) } == true ? nil : seqs.lowerBound
        }
        return unacknowledged.min().map { EventID(replica: segment.replica, seq: $0) }
    }

    /// Removes a connection from the uploaders of a replica if it has no unanswered uploads of it.
    private mutating func forget(_ connection: ConnectionID, at target: GroupReplica) {
        guard uploads[connection]?.contains(where: { $0.target == target }) != true else { return }
        uploaders[target]?.remove(connection)
        if uploaders[target]?.isEmpty == true { uploaders[target] = nil }
    }
}
