import FocusServer
import FocusSync

/// Reads along what one side of a connection says to the other.
struct WireTap {
    private var decoder = FrameDecoder()
    /// Whoever sends what is no frame is read no further.
    private var isLost = false

    /// Notes what these bytes say.
    mutating func read(_ bytes: [UInt8], _ reach: inout Reach) {
        guard !isLost else { return }
        decoder.append(bytes[...])
        do {
            while let frame = try decoder.next() { WireTap.note(frame, &reach) }
        } catch {
            isLost = true
        }
    }

    private static func note(_ frame: Frame, _ reach: inout Reach) {
        guard let type = MessageType(rawValue: frame.type) else { return reach.note(.message, "unknown") }
        reach.note(.message, "\(type)")
        guard type == .error || type == .refused || type == .ack, let message = try? Message(frame) else {
            return
        }
        switch message {
        case .error(let refusal), .refused(_, let refusal): note(refusal.code, &reach)
        case .ack(let ack): if let stop = ack.stop { note(stop.code, &reach) }
        default: break
        }
    }

    private static func note(_ code: RefusalCode, _ reach: inout Reach) {
        reach.note(.refusal, RefusalCode.named.first { $0.code == code }?.name ?? "unknown")
    }
}
