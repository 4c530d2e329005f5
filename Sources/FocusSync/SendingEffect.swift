/// What a session, on either side, may ask its shell for: to send bytes, among other things.
package protocol SendingEffect {
    /// Send these bytes.
    static func send(_ bytes: [UInt8]) -> Self
    /// The bytes to be sent; nil where it asks for something else.
    var bytesToSend: [UInt8]? { get }
}

extension ClientEffect: SendingEffect {
    /// The bytes of a `send`; nil for every other request.
    package var bytesToSend: [UInt8]? { if case .send(let bytes) = self { bytes } else { nil } }
}

extension ServerEffect: SendingEffect {
    /// The bytes of a `send`; nil for every other request.
    package var bytesToSend: [UInt8]? { if case .send(let bytes) = self { bytes } else { nil } }
}

extension Array where Element: SendingEffect {
    /// Asks for a frame to be sent, together with the frames right before it.
    mutating func send(_ frame: [UInt8]) {
        guard var bytes = last?.bytesToSend else { return append(.send(frame)) }
        // The bytes are held here alone after this, so that they grow in place.
        removeLast()
        bytes.append(contentsOf: frame)
        append(.send(bytes))
    }
}
