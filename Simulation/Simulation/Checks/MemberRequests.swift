import FocusCore
import FocusSync
import FocusWriter

/// The requests that members have handed in to the writer and that aren't answered yet.
///
/// The writer keeps the order of a connection's uploads, and the order of its other requests, but not the
/// order between the two kinds. An upload has no number, so an ack answers the first one; the others are
/// answered by their numbers.
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
        var others: [(number: RequestNumber, request: MemberRequest)] = []
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
        case .group(let number, _): line.others.append((number, request))
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
            case .answered(let number, _, let connection):
                guard let group = group(of: connection) else { continue }
                guard let place = lines[connection]?.others.firstIndex(where: { $0.number == number }),
                    let request = lines[connection]?.others.remove(at: place).request
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
                count -= lines[connection].map { $0.uploads.count + $0.others.count } ?? 0
                lines[connection]?.uploads = []
                lines[connection]?.others = []
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
