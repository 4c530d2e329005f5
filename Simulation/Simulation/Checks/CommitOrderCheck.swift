import FocusCore
import FocusSync
import FocusWriter

/// Checks that an uploader is told of a commit before others are (docs/protocol.md, "A session"). It uses
/// only the messages on the server's connections.
struct CommitOrderCheck {
    /// A replica in a group. Malicious groups may use other groups' replicas.
    private struct Place: Hashable {
        let group: GroupID
        let replica: ReplicaID
    }

    private struct Upload {
        let place: Place
        let seqs: ClosedRange<UInt64>
    }

    /// The unanswered uploads of each connection, in order.
    private var uploads: [ConnectionID: [Upload]] = [:]
    /// The connections with unanswered uploads of each replica.
    private var uploaders: [Place: Set<ConnectionID>] = [:]
    /// The last seq of each replica that an uploader was told of.
    private var heard: [Place: UInt64] = [:]
    /// The uploads of connections that ended before an answer. They may be committed all the same.
    private var lost: [Place: [ClosedRange<UInt64>]] = [:]

    /// Notes an upload on a connection that is in the group.
    mutating func uploads(_ segment: Segment, of group: GroupID, on connection: ConnectionID) {
        let place = Place(group: group, replica: segment.replica)
        uploads[connection, default: []].append(
            Upload(place: place, seqs: segment.firstSeq...segment.lastSeq))
        uploaders[place, default: []].insert(connection)
    }

    /// Notes an ack, which answers the connection's first upload of the replica.
    mutating func acknowledges(_ ack: Ack, on connection: ConnectionID) {
        guard let index = uploads[connection]?.firstIndex(where: { $0.place.replica == ack.replica }),
            let upload = uploads[connection]?.remove(at: index)
        else { return }
        heard[upload.place] = max(heard[upload.place] ?? 0, ack.head.seq)
        forget(connection, at: upload.place)
    }

    /// Notes that a connection is over and receives nothing more.
    mutating func ends(_ connection: ConnectionID) {
        for upload in uploads.removeValue(forKey: connection) ?? [] {
            lost[upload.place, default: []].append(upload.seqs)
            forget(connection, at: upload.place)
        }
    }

    /// Checks a push of committed events.
    ///
    /// - Returns: The first of these events that is pushed too early: an uploader waits for its answer, and
    ///   none has been told of the commit. Nil if there is none.
    func early(_ segment: Segment, of group: GroupID) -> EventID? {
        let place = Place(group: group, replica: segment.replica)
        guard let waiting = uploaders[place] else { return nil }
        let first = max(segment.firstSeq, (heard[place] ?? 0) + 1)
        guard first <= segment.lastSeq else { return nil }
        let told = first...segment.lastSeq
        let unheard = waiting.flatMap { uploads[$0] ?? [] }.compactMap { upload -> UInt64? in
            guard upload.place == place, upload.seqs.overlaps(told) else { return nil }
            let seqs = upload.seqs.clamped(to: told)
            // A lost upload may have been committed, so this push may be of that commit.
            return lost[place]?.contains { $0.overlaps(seqs) } == true ? nil : seqs.lowerBound
        }
        return unheard.min().map { EventID(replica: segment.replica, seq: $0) }
    }

    /// Removes a connection from the uploaders of a replica if it has no unanswered uploads of it.
    private mutating func forget(_ connection: ConnectionID, at place: Place) {
        guard uploads[connection]?.contains(where: { $0.place == place }) != true else { return }
        uploaders[place]?.remove(connection)
        if uploaders[place]?.isEmpty == true { uploaders[place] = nil }
    }
}
