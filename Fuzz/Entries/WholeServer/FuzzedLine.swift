import FocusCore
import FocusServing
import FocusSync
import FocusWriter

/// A connection to a `FuzzedServer`, whose other side a script is.
final class FuzzedLine: ClientConnection {
    let id: ConnectionID
    let device: Digest
    let peerBlock: AddressBlock
    let shownKey: Digest?
    /// What the other side has sent and the server hasn't taken.
    private var incoming: [UInt8] = []
    private var decoder = FrameDecoder()
    /// What the server said last.
    private(set) var messages: [Message] = []
    /// Whether something came from the server that can't be read.
    private(set) var problem: String?
    private(set) var isClosed = false
    private var isPaused = false
    /// Whether the other side takes what is sent to it.
    var takes = true {
        didSet { if takes { unsentBytes = 0 } }
    }
    private(set) var unsentBytes = 0
    let heldBytes = 0

    /// No more is kept of what the server said.
    private static let kept = 64

    init(_ id: ConnectionID, _ device: Digest, from byte: UInt8, shown: Digest) {
        self.id = id
        self.device = device
        peerBlock = AddressBlock(address: [192, 0, 2, byte])
        shownKey = shown
    }

    var peerDescription: String { "line \(id)" }

    func send(_ bytes: [UInt8]) {
        if !takes { unsentBytes += bytes.count }
        decoder.append(bytes[...])
        do {
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
        } catch {
            problem = "\(error)"
        }
        if messages.count > FuzzedLine.kept { messages.removeFirst(messages.count - FuzzedLine.kept) }
    }

    func pauseReading() { isPaused = true }
    func resumeReading() { isPaused = false }
    func close() { isClosed = true }
    func close(within time: Duration) { isClosed = true }
    func abort() { isClosed = true }

    /// The other side sends this.
    func say(_ bytes: some Sequence<UInt8>) { incoming += bytes }

    /// What the server takes now, as a socket would give it; nil where there is nothing, or it doesn't read.
    func next() -> [UInt8]? {
        guard !isPaused, !isClosed, !incoming.isEmpty else { return nil }
        let piece = Array(incoming.prefix(65_536))
        incoming.removeFirst(piece.count)
        return piece
    }
}
