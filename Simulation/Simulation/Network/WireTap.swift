import FocusCore
import FocusServer
import FocusSync

/// Reads along what one side of a connection says to the other.
struct WireTap {
    private var decoder = FrameDecoder()
    /// Whoever sends what is no frame is read no further.
    private var isLost = false
    /// How often chains of each replica were asked for.
    private var asked: [ReplicaID: Int] = [:]
    /// Where the last events ended that filled what is read at once, and how many such came in a row.
    private var full: (replica: ReplicaID, last: UInt64, count: Int)?

    /// Notes what these bytes say.
    mutating func read(_ bytes: [UInt8], _ reach: inout Reach) {
        guard !isLost else { return }
        decoder.append(bytes[...])
        do {
            while let frame = try decoder.next() { note(frame, &reach) }
        } catch {
            isLost = true
        }
    }

    private mutating func note(_ frame: Frame, _ reach: inout Reach) {
        guard let type = MessageType(rawValue: frame.type) else { return reach.note(.message, "unknown") }
        reach.note(.message, "\(type)")
        guard WireTap.isTold(frame, type), let message = try? Message(frame) else { return }
        switch message {
        case .error(let refusal), .refused(_, let refusal): WireTap.note(refusal.code, &reach)
        case .ack(let ack): if let stop = ack.stop { WireTap.note(stop.code, &reach) }
        case .chainsAsked(let replica, _):
            asked[replica, default: 0] += 1
            if let count = asked[replica], count > 1 { reach.note(.round, "chains asked \(min(count, 3))") }
        case .upload(let segment): noteFull(segment, "upload", &reach)
        case .push(let segment): noteFull(segment, "push", &reach)
        default: break
        }
    }

    /// Whether it matters what the frame has in it.
    private static func isTold(_ frame: Frame, _ type: MessageType) -> Bool {
        switch type {
        case .error, .refused, .ack, .chainsAsked: true
        case .upload, .push: frame.body.count > Limits.read / 2
        default: false
        }
    }

    /// Events of a replica that go on where others ended that filled a read.
    private mutating func noteFull(_ segment: Segment, _ what: String, _ reach: inout Reach) {
        let count =
            full.map { $0.replica == segment.replica && $0.last + 1 == segment.firstSeq ? $0.count : 0 } ?? 0
        full = (segment.replica, segment.lastSeq, count + 1)
        if count > 0 { reach.note(.round, "\(what) \(min(count + 1, 3))") }
    }

    private static func note(_ code: RefusalCode, _ reach: inout Reach) {
        reach.note(.refusal, RefusalCode.named.first { $0.code == code }?.name ?? "unknown")
    }
}
