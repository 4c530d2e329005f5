import FocusCore
import FocusSync
import FocusWriter

/// What members have handed in to the writer, until it is told what came of it.
///
/// What one connection asks for is done in its order, uploads and all else counted apart: of an upload it is told at once,
/// and of all else after the batch, in the order in which it was done.
struct MemberRequests {
    /// What a batch did of it.
    struct Done {
        /// In their order, each with what it is answered.
        var uploads: [(request: MemberRequest, segment: Segment, head: Head, stop: Ack.Stop?)] = []
        /// All else, in its order.
        var others: [MemberRequest] = []
        /// The groups of which it can't be told what was done.
        var doubtful: Set<GroupID> = []
    }

    private struct Line {
        let group: GroupID
        var uploads: [(request: MemberRequest, segment: Segment)] = []
        var others: [MemberRequest] = []
        /// Whether it was told that it can't go on. What it still hands in may be done or not.
        var hasEnded = false
    }

    private var lines: [ConnectionID: Line] = [:]
    /// How many requests wait.
    private var count = 0

    /// Whether nothing waits.
    var isEmpty: Bool { count == 0 }

    /// Whose connection this is; nil where it has asked for nothing.
    private func group(of connection: ConnectionID) -> GroupID? { lines[connection]?.group }

    /// Notes what the writer takes up.
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

    /// Notes what a batch came to.
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
                // Which of what it asked for ended it, and what of the rest is done, isn't said.
                count -= lines[connection]?.uploads.count ?? 0
                lines[connection]?.uploads = []
                lines[connection]?.hasEnded = true
            default: break
            }
        }
        return done
    }

    /// The operator took a group off: nobody answers what was asked there.
    mutating func forget(_ group: GroupID) {
        for (connection, line) in lines where line.group == group {
            count -= line.uploads.count + line.others.count
            lines[connection] = nil
        }
    }
}
