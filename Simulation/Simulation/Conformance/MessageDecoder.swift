import FocusSync

/// Decodes the bytes that pass in one direction at one end of a connection.
struct MessageDecoder {
    private var decoder = FrameDecoder()
    /// Whether the sender has sent bytes that are no message. Nothing is decoded after them.
    private var hasFailed = false

    /// Returns the messages that are complete with these bytes, up to the first invalid one.
    mutating func readUntilInvalid(_ bytes: [UInt8]) -> [Message] {
        var messages: [Message] = []
        try? read(bytes, into: &messages)
        return messages
    }

    /// Returns the messages that are complete with these bytes.
    ///
    /// - Throws: `WireError` if one of them is invalid.
    mutating func read(_ bytes: [UInt8]) throws(WireError) -> [Message] {
        var messages: [Message] = []
        try read(bytes, into: &messages)
        return messages
    }

    private mutating func read(_ bytes: [UInt8], into messages: inout [Message]) throws(WireError) {
        guard !hasFailed else { return }
        // Stays true if an error is thrown.
        hasFailed = true
        decoder.append(bytes[...])
        while let frame = try decoder.next() { messages.append(try Message(frame)) }
        hasFailed = false
    }
}
