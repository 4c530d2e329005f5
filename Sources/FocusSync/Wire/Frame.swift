package import FocusCore

/// One message's envelope: on the wire a big-endian u32 (the length of what follows it), the type, the body.
package struct Frame: Hashable, Sendable {
    /// Which message it is (docs/protocol.md, "Messages").
    package let type: UInt8
    /// The message's fields, as docs/protocol.md lists them. May be empty.
    package let body: [UInt8]

    /// A frame of a message's type and its encoded fields.
    package init(type: UInt8, body: [UInt8]) {
        self.type = type
        self.body = body
    }

    /// The length of the field that the frame begins with, in bytes.
    package static let lengthBytes = 4
}

/// Cuts the incoming bytes into frames.
///
/// It holds one frame that isn't whole yet and what came with the last bytes, no more: give it bytes, then take
/// every frame before giving it the next.
package struct FrameDecoder: Sendable {
    /// The longest frame that is taken (type and body), in bytes.
    package var limit: Int
    private var buffer: [UInt8] = []
    /// The index of the first byte that hasn't been taken.
    private var start = 0

    /// A buffer that grew beyond this for a big frame is given back once it is all but empty; any is once it is empty.
    private static let keptCapacity = 4 << 10

    /// A decoder that has no bytes yet.
    ///
    /// - Parameter limit: the longest frame that it takes (type and body), in bytes.
    package init(limit: Int = Limits.frame) { self.limit = limit }

    /// How much memory it holds, in bytes.
    package var heldBytes: Int { buffer.capacity }

    /// Takes bytes as they came from the other side.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        if buffer.isEmpty {
            // Mostly all of it are whole frames: what came is held as it is until they are taken.
            buffer = Array(bytes)
            // Whoever made them may have left room for more.
            if buffer.capacity > bytes.count + FrameDecoder.keptCapacity { buffer = bytes.map { $0 } }
            return
        }
        let needed = buffer.count + bytes.count
        if needed > buffer.capacity {
            // As an array grows, but to no more than the frame will have.
            buffer.reserveCapacity(max(needed, min(2 * needed, Frame.lengthBytes + (length ?? 0))))
        }
        buffer.append(contentsOf: bytes)
    }

    /// How long the next frame is, type and body; nil where that hasn't come yet.
    private var length: Int? {
        guard buffer.count - start >= Frame.lengthBytes else { return nil }
        return buffer[start..<start + Frame.lengthBytes].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether `next` has something to say.
    package var hasNext: Bool {
        guard let length else { return false }
        return length <= 0 || length > limit || buffer.count - start - Frame.lengthBytes >= length
    }

    /// The next whole frame; nil where more bytes are needed. Takes time in proportion to the frame.
    ///
    /// - Throws: `WireError.frameTooLarge` as soon as the length is known, `.emptyFrame`. After that nothing that
    ///   follows can be read.
    package mutating func next() throws(WireError) -> Frame? {
        guard let length else {
            giveBack()
            return nil
        }
        guard length > 0 else { throw .emptyFrame }
        guard length <= limit else { throw .frameTooLarge(length) }
        guard buffer.count - start - Frame.lengthBytes >= length else {
            giveBack()
            return nil
        }
        let type = start + Frame.lengthBytes
        defer { start = type + length }
        return Frame(type: buffer[type], body: Array(buffer[(type + 1)..<(type + length)]))
    }

    /// Gives back what a big frame took, once a fourth of it is enough for what there is.
    private mutating func giveBack() {
        guard start > 0 else { return }
        if start == buffer.count {
            buffer = []
        } else if buffer.capacity > FrameDecoder.keptCapacity, (buffer.count - start) * 4 <= buffer.capacity {
            buffer = Array(buffer[start...])
        } else {
            return
        }
        start = 0
    }
}

/// The byte that says what a frame is (docs/protocol.md, "Messages"). The numbers never change.
package enum MessageType: UInt8, Hashable, Sendable, CaseIterable {
    // These four keep their layout in every version of the protocol.
    case hello = 0x01
    case greeting = 0x02
    case error = 0x03
    case bye = 0x04

    case ping = 0x05
    case pong = 0x06

    case enrol = 0x10
    case enrolled = 0x11
    case welcome = 0x12
    case have = 0x13
    case want = 0x14

    case upload = 0x20
    case ack = 0x21
    case push = 0x22
    case chainsAsked = 0x23
    case chains = 0x24

    case createInvite = 0x30
    case inviteCreated = 0x31
    case revoke = 0x32
    case revoked = 0x33
    case refused = 0x34

    case presence = 0x40
    case roster = 0x41
    case epoch = 0x42
    case successor = 0x43
}

/// Why bytes from the other side were refused.
package enum WireError: Error, Hashable, Sendable {
    /// A frame of this length, in bytes, is longer than it may be at this point.
    case frameTooLarge(Int)
    /// A frame without a type.
    case emptyFrame
    /// A message type that this version doesn't know.
    case unknownType(UInt8)
    /// A body that is not what its type says.
    case malformed(MessageType, ByteReader.Failure)
    /// A message that the other side may not send, or not now.
    case unexpected(MessageType)
}
