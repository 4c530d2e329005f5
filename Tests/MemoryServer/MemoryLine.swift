package import FocusCore
package import FocusServerCore
package import FocusSync

/// A connection to a `MemoryServer`. A test is its other side.
package final class MemoryLine: ClientConnection {
    package let id: ConnectionID
    package let device: Digest
    package let peerBlock: AddressBlock
    package let shownKey: Digest?
    /// The bytes that the other side has sent and the server hasn't read.
    private var incoming: [UInt8] = []
    /// The bytes that the server has sent and the other side hasn't taken.
    private var outgoing: [UInt8] = []
    private var decoder = FrameDecoder()
    /// The server's last messages.
    package private(set) var messages: [Message] = []
    /// The error in the bytes that the server sent, if they can't be read; nil otherwise.
    package private(set) var problem: String?
    package private(set) var isClosed = false
    private var isPaused = false
    /// Whether the other side reads what the server sends.
    package var reads = true {
        didSet { if reads { unsentBytes = 0 } }
    }
    package private(set) var unsentBytes = 0
    package let heldBytes = 0

    /// The number of the server's messages to keep.
    private static let limit = 64

    init(_ id: ConnectionID, _ device: Digest, from byte: UInt8, shown: Digest) {
        self.id = id
        self.device = device
        peerBlock = AddressBlock(address: [192, 0, 2, byte])
        shownKey = shown
    }

    package var peerDescription: String { "line \(id)" }

    package func send(_ bytes: [UInt8]) {
        if !reads { unsentBytes += bytes.count }
        outgoing += bytes
        decoder.append(bytes[...])
        do {
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
        } catch {
            problem = "\(error)"
        }
        if messages.count > MemoryLine.limit { messages.removeFirst(messages.count - MemoryLine.limit) }
    }

    package func pauseReading() { isPaused = true }
    package func resumeReading() { isPaused = false }
    package func close() { isClosed = true }
    package func close(within time: Duration) { isClosed = true }
    package func abort() { isClosed = true }

    /// Sends bytes from the other side.
    package func deliver(_ bytes: some Sequence<UInt8>) { incoming += bytes }

    /// Returns the bytes that the server has sent since the last call.
    package func takeSent() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Returns the next bytes for the server, as a socket does; nil if there are none or the server has
    /// paused reading.
    func next() -> [UInt8]? {
        guard !isPaused, !isClosed, !incoming.isEmpty else { return nil }
        let piece = Array(incoming.prefix(65_536))
        incoming.removeFirst(piece.count)
        return piece
    }
}
