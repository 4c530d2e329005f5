package import FocusCore

/// The envelope of one message. On the wire it is a big-endian u32 (the length of type and
/// body), the type, the body.
package struct Frame: Hashable, Sendable {
    /// The message's type (docs/protocol.md, "Messages").
    package let type: UInt8
    /// The message's encoded fields (docs/protocol.md, "Messages"). May be empty.
    package let body: [UInt8]

    /// Creates a frame.
    package init(type: UInt8, body: [UInt8]) {
        self.type = type
        self.body = body
    }

    /// The length of the length field, in bytes.
    package static let lengthBytes = 4
}

/// A decoder that cuts incoming bytes into frames.
///
/// It holds at most one incomplete frame and the bytes that came last. After each `append`, call `next` until
/// it returns nil.
package struct FrameDecoder: Sendable {
    /// The longest frame that is accepted (type and body), in bytes.
    package var limit: Int
    private var buffer: [UInt8] = []
    /// The index of the first byte in `buffer` that wasn't taken yet.
    private var start = 0

    /// The capacity, in bytes, that a buffer keeps until it is empty. A larger buffer shrinks before that, when
    /// it is at most a quarter full.
    private static let keptCapacity = 4 << 10

    /// Creates a decoder without bytes.
    ///
    /// - Parameter limit: The longest frame that it accepts (type and body), in bytes.
    package init(limit: Int = Limits.frame) { self.limit = limit }

    /// The memory that it holds, in bytes.
    package var heldBytes: Int { buffer.capacity }

    /// Appends bytes as they came from the other side.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        if buffer.isEmpty {
            // Most bytes come as whole frames, so they are kept as they are until the frames are taken.
            buffer = Array(bytes)
            // Their array may have much unused capacity; then copy them.
            if buffer.capacity > bytes.count + FrameDecoder.keptCapacity { buffer = bytes.map { $0 } }
            return
        }
        let needed = buffer.count + bytes.count
        if needed > buffer.capacity {
            // Grow as an array does, but not beyond the length of the frame.
            buffer.reserveCapacity(max(needed, min(2 * needed, Frame.lengthBytes + (length ?? 0))))
        }
        buffer.append(contentsOf: bytes)
    }

    /// The length of the next frame's type and body; nil if its length field isn't complete.
    private var length: Int? {
        guard buffer.count - start >= Frame.lengthBytes else { return nil }
        return buffer[start..<start + Frame.lengthBytes].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether `next` returns a frame or throws.
    package var hasNext: Bool {
        guard let length else { return false }
        return length <= 0 || length > limit || buffer.count - start - Frame.lengthBytes >= length
    }

    /// Removes and returns the next complete frame, or nil if more bytes are needed. Takes time
    /// in proportion to the frame.
    ///
    /// - Throws: `WireError.frameTooLarge` as soon as the length is known, or `.emptyFrame`. After that,
    ///   nothing that follows can be read.
    package mutating func next() throws(WireError) -> Frame? {
        guard let length else {
            shrinkBuffer()
            return nil
        }
        guard length > 0 else { throw .emptyFrame }
        guard length <= limit else { throw .frameTooLarge(length) }
        guard buffer.count - start - Frame.lengthBytes >= length else {
            shrinkBuffer()
            return nil
        }
        let type = start + Frame.lengthBytes
        defer { start = type + length }
        return Frame(type: buffer[type], body: Array(buffer[(type + 1)..<(type + length)]))
    }

    /// Frees the buffer if it is empty, and shrinks a large one that is at most a quarter full.
    private mutating func shrinkBuffer() {
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

/// The type of a message, as a byte on the wire (docs/protocol.md, "Messages"). The numbers never change.
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
    case done = 0x31
    case revoke = 0x32
    case revoked = 0x33
    case refused = 0x34

    case presence = 0x40
    case roster = 0x41
    case epoch = 0x42
    case successor = 0x43
    case keepEpoch = 0x44
}

/// The reason why bytes from the other side were refused.
package enum WireError: Error, Hashable, Sendable {
    /// A frame of this length, in bytes, is longer than it may be at this point.
    case frameTooLarge(Int)
    /// A frame without a type.
    case emptyFrame
    /// A message type that this version doesn't know.
    case unknownType(UInt8)
    /// A body that doesn't have the layout of its type.
    case malformed(MessageType, ByteReader.Failure)
    /// A message that the other side may not send, or not at this point.
    case unexpected(MessageType)
}
