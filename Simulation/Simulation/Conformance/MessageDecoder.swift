import FocusSync

/// Decodes the bytes that pass in one direction at one end of a connection.
struct MessageDecoder {
    private var decoder = FrameDecoder()
    /// Whether the sender has sent bytes that are no message. Nothing is decoded after them.
    private var isLost = false

    /// Returns the messages that are complete with these bytes, up to the first invalid one.
    mutating func readable(_ bytes: [UInt8]) -> [Message] {
        guard !isLost else { return [] }
        decoder.append(bytes[...])
        var messages: [Message] = []
        while let frame = try? decoder.next() {
            guard let message = try? Message(frame) else {
                isLost = true
                break
            }
            messages.append(message)
        }
        return messages
    }

    /// Returns the messages that are complete with these bytes.
    ///
    /// - Throws: `WireError` if one of them is invalid.
    mutating func read(_ bytes: [UInt8]) throws(WireError) -> [Message] {
        guard !isLost else { return [] }
        decoder.append(bytes[...])
        var messages: [Message] = []
        do {
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
        } catch {
            isLost = true
            throw error
        }
        return messages
    }
}
