import FocusCore
import FocusSync
import FocusWriter

/// The uploads that connections have handed in and have heard nothing of: each is acknowledged, or the connection is told
/// otherwise, and before the server ends where it was told to stop.
struct HandedIn {
    private struct Uploads {
        var count = 0
        /// Since when anybody waits for the first of them.
        var since: Int64
        /// How many of them were handed in before the server was told to stop.
        var due = 0
    }

    private var uploads: [ConnectionID: Uploads] = [:]
    /// The groups that connections have uploaded to.
    private var groups: [ConnectionID: GroupID] = [:]

    /// This is handed in, while the operator has taken these groups off.
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

    /// The network's thread is told this.
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

    /// The operator took a group off: those who wait for an answer there are cut off.
    mutating func forget(_ group: GroupID) {
        for (connection, its) in groups where its == group { uploads[connection] = nil }
    }

    /// The first of these acknowledgements, if any, of what isn't in this log; nothing is asked where there is none.
    func early(_ outcomes: [WriterOutcome], has: (GroupID) -> [ReplicaID: Head]?) -> String? {
        for case .merged(let replica, let head, _, let connection) in outcomes {
            guard let group = groups[connection], let heads = has(group), head.seq > heads[replica]?.seq ?? 0
            else { continue }
            return "\(replica) \(head.seq)"
        }
        return nil
    }

    /// Whether nobody has waited for longer than this, in microseconds.
    func isAnswered(within patience: Int64, at now: Int64) -> Bool {
        uploads.allSatisfy { now - $0.value.since <= patience }
    }

    /// Whether all was answered that was handed in before the server was told to stop.
    var isDrained: Bool { uploads.allSatisfy { $0.value.due <= 0 } }
}
