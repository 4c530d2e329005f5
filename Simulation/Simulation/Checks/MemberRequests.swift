import FocusCore
import FocusServerCore
import FocusSync

/// The requests that members have handed in to the writer and that aren't answered yet.
///
/// The writer keeps the order of a connection's uploads, and the order of its other requests, but not the
/// order between the two kinds. An upload has no number, so an ack answers the first waiting upload. An
/// answer to another request names that request's number.
struct MemberRequests {
    /// The requests that the writer has handled in a batch.
    struct Handled {
        /// The uploads in order, each with its answer: the replica's head, and the reason if the writer
        /// stopped before the upload's end.
        var uploads: [(request: MemberRequest, segment: Segment, head: Head, stop: Ack.Stop?)] = []
        /// The other requests in order.
        var requests: [MemberRequest] = []
        /// The groups with requests that may or may not have been handled.
        var doubtful: Set<GroupID> = []
    }

    private struct Queue {
        let group: GroupID
        var uploads: [(request: MemberRequest, segment: Segment)] = []
        var requests: [(number: RequestNumber, request: MemberRequest)] = []
        /// Whether the writer has ended the connection. Its later requests may be handled or not.
        var hasEnded = false
    }

    private var queues: [ConnectionID: Queue] = [:]
    /// The number of waiting requests.
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// The group of a connection, or nil if it has made no request.
    private func group(of connection: ConnectionID) -> GroupID? { queues[connection]?.group }

    /// Adds a request that the writer begins to handle.
    mutating func add(_ request: WriterRequest) {
        guard case .member(let request) = request else { return }
        count += 1
        var queue = queues[request.connection] ?? Queue(group: request.group)
        switch request.asked {
        case .merge(let segment): queue.uploads.append((request, segment))
        case .group(let number, _): queue.requests.append((number, request))
        }
        queues[request.connection] = queue
    }

    /// Removes the requests that a batch has handled.
    ///
    /// - Returns: These requests.
    mutating func removeHandled(by answers: [WriterOutcome]) -> Handled {
        var handled = Handled()
        for outcome in answers {
            switch outcome {
            case .merged(_, let head, let stop, let connection):
                guard let group = group(of: connection) else { continue }
                guard queues[connection]?.uploads.isEmpty == false,
                    let upload = queues[connection]?.uploads.removeFirst()
                else {
                    handled.doubtful.insert(group)
                    continue
                }
                count -= 1
                if queues[connection]?.hasEnded == true { handled.doubtful.insert(group) }
                handled.uploads.append((upload.request, upload.segment, head, stop))
            case .answered(let number, _, let connection):
                guard let group = group(of: connection) else { continue }
                guard let index = queues[connection]?.requests.firstIndex(where: { $0.number == number }),
                    let request = queues[connection]?.requests.remove(at: index).request
                else {
                    handled.doubtful.insert(group)
                    continue
                }
                count -= 1
                if queues[connection]?.hasEnded == true { handled.doubtful.insert(group) }
                handled.requests.append(request)
            case .ended(_, let connection):
                guard let group = group(of: connection) else { continue }
                handled.doubtful.insert(group)
                // It isn't known which request ended the connection, nor which of the remaining requests were
                // handled.
                count -= queues[connection].map { $0.uploads.count + $0.requests.count } ?? 0
                queues[connection]?.uploads = []
                queues[connection]?.requests = []
                queues[connection]?.hasEnded = true
            default: break
            }
        }
        return handled
    }

    /// Forgets a group that the operator has deleted. Its requests aren't answered.
    mutating func forget(_ group: GroupID) {
        for (connection, queue) in queues where queue.group == group {
            count -= queue.uploads.count + queue.requests.count
            queues[connection] = nil
        }
    }
}
