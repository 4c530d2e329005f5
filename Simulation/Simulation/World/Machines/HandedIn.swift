import FocusCore
import FocusSync
import FocusWriter

/// The uploads that connections wait for. Each must be acknowledged or refused. A server that was told to
/// stop answers all of them before it ends.
struct HandedIn {
    private struct Uploads {
        var count = 0
        /// When the wait for the first of them began.
        var since: Int64
        /// The number of these uploads from before the server was told to stop.
        var due = 0
    }

    private var uploads: [ConnectionID: Uploads] = [:]
    /// The groups that connections have uploaded to.
    private var groups: [ConnectionID: GroupID] = [:]

    /// Records a request to the writer.
    ///
    /// - Parameter deleted: The groups that the operator has deleted.
    mutating func note(_ request: WriterRequest, at now: Int64, deleted: Set<GroupID>) {
        switch request {
        case .member(let request):
            guard case .merge = request.asked, !deleted.contains(request.group) else { return }
            groups[request.connection] = request.group
            uploads[request.connection, default: Uploads(since: now)].count += 1
        case .barrier:
            uploads = uploads.mapValues { waiting in
                var waiting = waiting
                waiting.due = waiting.count
                return waiting
            }
        default: break
        }
    }

    /// Records outcomes that the network's thread gets.
    mutating func answered(_ outcomes: [WriterOutcome], at now: Int64) {
        for outcome in outcomes {
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
        for (connection, its) in groups where its == group { uploads[connection] = nil }
    }

    /// Returns the first acknowledgement, if any, of events that the group's promised heads lack.
    /// Acknowledgements in a group without heads aren't checked.
    func early(_ outcomes: [WriterOutcome], has: (GroupID) -> [ReplicaID: Head]?) -> String? {
        for case .merged(let replica, let head, _, let connection) in outcomes {
            guard let group = groups[connection], let heads = has(group), head.seq > heads[replica]?.seq ?? 0
            else { continue }
            return "\(replica) \(head.seq)"
        }
        return nil
    }

    /// Whether no upload has waited longer than `patience` microseconds.
    func isAnswered(within patience: Int64, at now: Int64) -> Bool {
        uploads.allSatisfy { now - $0.value.since <= patience }
    }

    /// Whether each upload from before the order to stop was answered.
    var isDrained: Bool { uploads.allSatisfy { $0.value.due <= 0 } }
}
