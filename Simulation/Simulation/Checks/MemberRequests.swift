import FocusCore
import FocusSync
import FocusWriter

/// The requests that members have handed in to the writer and that aren't answered yet.
///
/// The writer keeps the order of a connection's uploads, and the order of its other requests, but not the
/// order between the two kinds. It answers an upload at once, and the other requests after the batch, in
/// order.
struct MemberRequests {
    /// The requests that the writer has handled in a batch.
    struct Done {
        /// The uploads in order, each with its answer.
        var uploads: [(request: MemberRequest, segment: Segment, head: Head, stop: Ack.Stop?)] = []
        /// The other requests in order.
        var others: [MemberRequest] = []
        /// The groups with requests that may or may not have been handled.
        var doubtful: Set<GroupID> = []
    }

    private struct Line {
        let group: GroupID
        var uploads: [(request: MemberRequest, segment: Segment)] = []
        var others: [MemberRequest] = []
        /// Whether the writer has ended the connection. Its later requests may be handled or not.
        var hasEnded = false
    }

    private var lines: [ConnectionID: Line] = [:]
    /// The number of waiting requests.
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// The group of a connection, or nil if it has made no request.
    private func group(of connection: ConnectionID) -> GroupID? { lines[connection]?.group }

    /// Notes a request that the writer begins to handle.
    mutating func note(_ request: WriterRequest) {
        guard case .member(let request) = request else { return }
        count += 1
        var line = lines[request.connection] ?? Line(group: request.group)
        switch request.asked {
        case .merge(let segment): line.uploads.append((request, segment))
        case .group: line.others.append(request)
        }
        lines[request.connection] = line
    }

    /// Notes a batch.
    ///
    /// - Returns: The requests that it has handled.
    mutating func note(_ outcomes: [WriterOutcome]) -> Done {
        var done = Done()
        for outcome in outcomes {
            switch outcome {
            case .merged(_, let head, let stop, let connection):
                guard let group = group(of: connection) else { continue }
                guard lines[connection]?.uploads.isEmpty == false,
                    let upload = lines[connection]?.uploads.removeFirst()
                else {
                    done.doubtful.insert(group)
                    continue
                }
                count -= 1
                if lines[connection]?.hasEnded == true { done.doubtful.insert(group) }
                done.uploads.append((upload.request, upload.segment, head, stop))
            case .answered(.handled, let connection):
                guard let group = group(of: connection) else { continue }
                guard lines[connection]?.others.isEmpty == false,
                    let request = lines[connection]?.others.removeFirst()
                else {
                    done.doubtful.insert(group)
                    continue
                }
                count -= 1
                if lines[connection]?.hasEnded == true { done.doubtful.insert(group) }
                done.others.append(request)
            case .ended(_, let connection):
                guard let group = group(of: connection) else { continue }
                done.doubtful.insert(group)
                // It isn't known which request ended the connection, nor which of the remaining requests were
                // handled.
                count -= lines[connection]?.uploads.count ?? 0
                lines[connection]?.uploads = []
                lines[connection]?.hasEnded = true
            default: break
            }
        }
        return done
    }

    /// Forgets a group that the operator has deleted. Its requests aren't answered.
    mutating func forget(_ group: GroupID) {
        for (connection, line) in lines where line.group == group {
            count -= line.uploads.count + line.others.count
            lines[connection] = nil
        }
    }
}
