/// A type of effects, a client's or a server's, with a case that sends bytes.
package protocol SendingEffect {
    /// Creates the effect to send these bytes.
    static func send(_ bytes: [UInt8]) -> Self
    /// The bytes to send; nil for any other effect.
    var bytesToSend: [UInt8]? { get }
}

extension ClientEffect: SendingEffect {
    /// The bytes of a `send`; nil for any other effect.
    package var bytesToSend: [UInt8]? { if case .send(let bytes) = self { bytes } else { nil } }
}

extension ServerEffect: SendingEffect {
    /// The bytes of a `send`; nil for any other effect.
    package var bytesToSend: [UInt8]? { if case .send(let bytes) = self { bytes } else { nil } }
}

extension Array where Element: SendingEffect {
    /// Appends a frame to send. If the last effect sends bytes too, the frame is joined to it.
    mutating func send(_ frame: [UInt8]) {
        guard var bytes = last?.bytesToSend else { return append(.send(frame)) }
        // After the removal nothing else refers to the bytes, so they grow in place.
        removeLast()
        bytes.append(contentsOf: frame)
        append(.send(bytes))
    }
}
