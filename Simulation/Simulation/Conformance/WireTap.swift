import FocusSync

/// Reads along what goes over one end of a connection, one way.
struct WireTap {
    private var decoder = FrameDecoder()
    /// Whoever sends what is no message is read no further.
    private var isLost = false

    /// The messages that are whole with these bytes, up to what is none.
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

    /// The messages that are whole with these bytes; an error where what came is none.
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
