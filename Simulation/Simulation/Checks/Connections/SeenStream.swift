import FocusCore
import FocusSync

/// A message on a connection, as far as the checks decode it.
struct SeenMessage {
    let type: MessageType?
    /// The length of its body.
    let bytes: Int
    /// The decoded message; nil for the types that may be long, and for invalid messages.
    let message: Message?
    /// The events of an upload or a push; nil for other messages.
    let segment: SeenSegment?

    /// Its share of a turn's work: 1, and 1 more for each 128 bytes.
    var work: Int { 1 + bytes / 128 }
}

/// The events in an upload or a push, according to its first bytes (docs/protocol.md, "Values").
struct SeenSegment {
    let replica: ReplicaID
    let seqs: ClosedRange<UInt64>

    /// The offset of the number of events, after the replica, the first seq, and the chain before it.
    private static let countOffset = 32

    /// - Parameter body: The body of the message. The result is nil if it has no events.
    init?(_ body: ArraySlice<UInt8>) {
        guard body.count >= SeenSegment.countOffset + 4 else { return nil }
        func number(_ offset: Int, _ bytes: Int) -> UInt64 {
            body.dropFirst(offset).prefix(bytes).reduce(0) { $0 << 8 | UInt64($1) }
        }
        let (first, count) = (number(8, 8), number(SeenSegment.countOffset, 4))
        guard (1..<1 << 63).contains(first), count > 0 else { return nil }
        replica = ReplicaID(rawValue: number(0, 8))
        seqs = first...first + count - 1
    }

    init(_ replica: ReplicaID, _ seqs: ClosedRange<UInt64>) {
        (self.replica, self.seqs) = (replica, seqs)
    }
}

/// Decodes the bytes that pass in one direction of a connection: the length of each message, and the contents
/// of the short ones.
struct SeenStream {
    /// The incomplete frame at the end.
    private var buffer: [UInt8] = []
    private var isLost = false
    /// The length of the longest frame announced so far.
    private(set) var longest = 0

    /// The number of bytes of the incomplete frame.
    var partialBytes: Int { isLost ? 0 : buffer.count }

    /// Returns the messages that are complete with these bytes.
    mutating func read(_ bytes: [UInt8]) -> [SeenMessage] {
        guard !isLost else { return [] }
        buffer += bytes
        var start = 0
        var messages: [SeenMessage] = []
        while buffer.count - start >= Frame.lengthBytes {
            let length = buffer[start..<start + Frame.lengthBytes].reduce(0) { $0 << 8 | Int($1) }
            longest = max(longest, length)
            guard length > 0, length <= Limits.frame else {
                isLost = true
                buffer = []
                return messages
            }
            let end = start + Frame.lengthBytes + length
            guard buffer.count >= end else { break }
            messages.append(SeenStream.message(buffer[start + Frame.lengthBytes..<end]))
            start = end
        }
        if start > 0 { buffer.removeSubrange(..<start) }
        return messages
    }

    private static func message(_ bytes: ArraySlice<UInt8>) -> SeenMessage {
        let type = bytes.first.flatMap(MessageType.init(rawValue:))
        let body = bytes.dropFirst()
        let message: Message? =
            switch type {
            case nil, .upload, .push, .epoch, .successor, .chains, .chainsAsked: nil
            case let type?: try? Message(Frame(type: type.rawValue, body: Array(body)))
            }
        let segment = type == .upload || type == .push ? SeenSegment(body) : nil
        return SeenMessage(type: type, bytes: body.count, message: message, segment: segment)
    }
}
