package import FocusCore

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
