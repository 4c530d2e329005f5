import FocusCore
import FocusSync

/// A message on a connection, as far as checks look at it.
struct SeenMessage {
    let type: MessageType?
    /// How long its body is.
    let bytes: Int
    /// What it says; nil of those that may be long, and of what is no message.
    let message: Message?
    /// What an upload or a push is of; nil of any other message.
    let segment: SeenSegment?

    /// What it counts as of a turn: one for itself, and one for every 128 bytes.
    var work: Int { 1 + bytes / 128 }
}

/// Which events an upload or a push is of, as its first bytes say (docs/protocol.md, "Values").
struct SeenSegment {
    let replica: ReplicaID
    let seqs: ClosedRange<UInt64>

    /// Where the number of events stands, after the replica, the first seq, and the chain before it.
    private static let countOffset = 32

    /// - Parameter body: the message's; nil where it is of no events.
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

/// Reads along what goes over a connection one way: how long each message is, and what the short ones say.
struct SeenStream {
    /// The frame that isn't whole yet, or what nobody can read any more.
    private var buffer: [UInt8] = []
    private var isLost = false
    /// How long the longest frame is that was announced.
    private(set) var longest = 0

    /// How many bytes of a frame there are that isn't whole.
    var partialBytes: Int { isLost ? 0 : buffer.count }

    /// The messages that are whole with these bytes.
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
