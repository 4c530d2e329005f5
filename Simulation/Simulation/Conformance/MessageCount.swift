import FocusCore
import FocusServerCore
import FocusSync

/// Counts the messages that one side of a connection receives, for the coverage of a world (`Reach`).
struct MessageCount {
    /// The number of requests for chains, by replica.
    private var chainRequests: [ReplicaID: Int] = [:]
    /// The replica and last seq of the last full segment, and the number of full segments in a row.
    private var full: (replica: ReplicaID, last: UInt64, count: Int)?

    mutating func add(_ message: Message, _ reach: inout Reach) {
        reach.count(.message, "\(message.type)")
        switch message {
        case .error(let refusal), .refused(_, let refusal): MessageCount.countRefusal(refusal.code, &reach)
        case .ack(let ack): if let stop = ack.stop { MessageCount.countRefusal(stop.code, &reach) }
        case .chainsAsked(let replica, _):
            chainRequests[replica, default: 0] += 1
            if let count = chainRequests[replica], count > 1 {
                reach.count(.round, "chains asked \(min(count, 3))")
            }
        case .upload(let segment): countFull(segment, "upload", &reach)
        case .push(let segment): countFull(segment, "push", &reach)
        default: break
        }
    }

    /// Counts a full segment that directly continues another full one: the sender needed several reads. A
    /// segment is full if it has more than half of `Limits.read`.
    private mutating func countFull(_ segment: Segment, _ what: String, _ reach: inout Reach) {
        guard segment.packed.count > Limits.read / 2 else { return }
        let before = full.flatMap {
            $0.replica == segment.replica && $0.last + 1 == segment.firstSeq ? $0.count : nil
        }
        let count = (before ?? 0) + 1
        full = (segment.replica, segment.lastSeq, count)
        if count > 1 { reach.count(.round, "\(what) \(min(count, 3))") }
    }

    private static func countRefusal(_ code: RefusalCode, _ reach: inout Reach) {
        reach.count(.refusal, RefusalCode.named.first { $0.code == code }?.name ?? "unknown")
    }
}
