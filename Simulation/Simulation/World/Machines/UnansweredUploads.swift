import FocusCore
import FocusServerCore
import FocusSync

/// The uploads that were handed to the writer and have no answer yet. The server must acknowledge or refuse
/// each of them. A server that was told to stop answers all of them before it ends.
struct UnansweredUploads {
    /// The uploads of one connection.
    private struct Queue {
        /// The number of unanswered uploads.
        var count = 0
        /// The time of the last answer; before any answer, the time of the first upload.
        var since: Int64
        /// The number of answers that are due before a server that was told to stop may end.
        var due = 0
    }

    private var uploads: [ConnectionID: Queue] = [:]
    /// The groups that connections have uploaded to.
    private var groups: [ConnectionID: GroupID] = [:]

    /// Records a request to the writer.
    ///
    /// - Parameter deleted: The groups that the operator has deleted.
    mutating func record(_ request: WriterRequest, at now: Int64, deleted: Set<GroupID>) {
        switch request {
        case .member(let request):
            guard case .merge = request.asked, !deleted.contains(request.group) else { return }
            groups[request.connection] = request.group
            uploads[request.connection, default: Queue(since: now)].count += 1
        // The server was told to stop.
        case .barrier:
            uploads = uploads.mapValues { waiting in
                var waiting = waiting
                waiting.due = waiting.count
                return waiting
            }
        default: break
        }
    }

    /// Records answers that the network's thread gets.
    mutating func recordAnswers(_ answers: [WriterOutcome], at now: Int64) {
        for outcome in answers {
            switch outcome {
            case .merged(_, _, _, let connection):
                guard var left = uploads[connection] else { continue }
                left.count -= 1
                left.due -= 1
                left.since = now
                uploads[connection] = left.count > 0 ? left : nil
            case .ended(_, let connection): uploads[connection] = nil
            default: continue
            }
        }
    }

    /// Forgets the uploads to a group that the operator deleted: its connections are closed without an
    /// answer.
    mutating func forget(_ group: GroupID) {
        for (connection, other) in groups where other == group { uploads[connection] = nil }
    }

    /// Returns the first acknowledgement that is too early: it covers events beyond the heads that the group
    /// has in the store. Nil if there is none.
    ///
    /// - Parameter stored: Returns these heads, or nil if acknowledgements of the group aren't checked.
    func firstEarly(_ answers: [WriterOutcome], stored: (GroupID) -> [ReplicaID: Head]?) -> String? {
        for case .merged(let replica, let head, _, let connection) in answers {
            guard let group = groups[connection], let heads = stored(group),
                head.seq > heads[replica]?.seq ?? 0
            else { continue }
            return "\(replica) \(head.seq)"
        }
        return nil
    }

    /// Whether no connection has waited longer than `patience` microseconds for its next answer.
    func isAnswered(within patience: Int64, at now: Int64) -> Bool {
        uploads.allSatisfy { now - $0.value.since <= patience }
    }

    /// Whether each upload from before the order to stop was answered.
    var isDrained: Bool { uploads.allSatisfy { $0.value.due <= 0 } }
}
