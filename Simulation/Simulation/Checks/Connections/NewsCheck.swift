import FocusCore
import FocusSync
import FocusWriter

/// Who uploaded what and hasn't heard yet what became of it: others are told of a commit after that (docs/protocol.md, "A
/// session"). It goes by what was said on the server's connections alone.
struct NewsCheck {
    /// A replica of a group: hostile groups may have replicas of the same number.
    private struct Place: Hashable {
        let group: GroupID
        let replica: ReplicaID
    }

    private struct Upload {
        let place: Place
        let seqs: ClosedRange<UInt64>
    }

    /// The uploads of each connection that are unanswered, in their order.
    private var uploads: [ConnectionID: [Upload]] = [:]
    /// The connections that have some of a replica.
    private var uploaders: [Place: Set<ConnectionID>] = [:]
    /// How far somebody has heard of a replica that he uploaded.
    private var heard: [Place: UInt64] = [:]
    /// What was uploaded on connections that ended before anybody heard: it may be committed all the same.
    private var lost: [Place: [ClosedRange<UInt64>]] = [:]

    /// A connection that is in the group uploads these events.
    mutating func uploads(_ segment: SeenSegment, of group: GroupID, on connection: ConnectionID) {
        let place = Place(group: group, replica: segment.replica)
        uploads[connection, default: []].append(Upload(place: place, seqs: segment.seqs))
        uploaders[place, default: []].insert(connection)
    }

    /// A connection hears what became of the first of its uploads of the replica.
    mutating func acknowledges(_ ack: Ack, on connection: ConnectionID) {
        guard let index = uploads[connection]?.firstIndex(where: { $0.place.replica == ack.replica }),
            let upload = uploads[connection]?.remove(at: index)
        else { return }
        heard[upload.place] = max(heard[upload.place] ?? 0, ack.head.seq)
        forget(connection, at: upload.place)
    }

    /// A connection is over: whoever it was hears nothing any more.
    mutating func ends(_ connection: ConnectionID) {
        for upload in uploads.removeValue(forKey: connection) ?? [] {
            lost[upload.place, default: []].append(upload.seqs)
            forget(connection, at: upload.place)
        }
    }

    /// A connection is told of a commit, which is of these events.
    ///
    /// - Returns: the first of them, if any, that was uploaded where all who did so wait for what becomes of it.
    func early(_ segment: SeenSegment, of group: GroupID) -> EventID? {
        let place = Place(group: group, replica: segment.replica)
        guard let waiting = uploaders[place] else { return nil }
        let first = max(segment.seqs.lowerBound, (heard[place] ?? 0) + 1)
        guard first <= segment.seqs.upperBound else { return nil }
        let told = first...segment.seqs.upperBound
        let unheard = waiting.flatMap { uploads[$0] ?? [] }.compactMap { upload -> UInt64? in
            guard upload.place == place, upload.seqs.overlaps(told) else { return nil }
            let seqs = upload.seqs.clamped(to: told)
            return lost[place]?.contains { $0.overlaps(seqs) } == true ? nil : seqs.lowerBound
        }
        return unheard.min().map { EventID(replica: segment.replica, seq: $0) }
    }

    /// Takes a connection off the uploaders of a replica of which it has none left unanswered.
    private mutating func forget(_ connection: ConnectionID, at place: Place) {
        guard uploads[connection]?.contains(where: { $0.place == place }) != true else { return }
        uploaders[place]?.remove(connection)
        if uploaders[place]?.isEmpty == true { uploaders[place] = nil }
    }
}
