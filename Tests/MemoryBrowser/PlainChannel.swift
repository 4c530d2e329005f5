package import FocusWeb

/// A channel that passes bytes on as they are, without TLS.
package final class PlainChannel: SecureChannel {
    package private(set) var state: SecureChannelState
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []

    /// A channel in this state.
    package init(_ state: SecureChannelState) { self.state = state }

    package func receive(_ bytes: [UInt8]) { incoming += bytes }
    package func send(_ bytes: [UInt8]) { outgoing += bytes }

    package func removeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    package func removeReceived() -> [UInt8] {
        defer { incoming = [] }
        return incoming
    }

    package func close() { state = .closed }
}
