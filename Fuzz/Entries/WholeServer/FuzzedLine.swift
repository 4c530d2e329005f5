import FocusCore
import FocusSeal
import FocusServerCore
import FocusSync

/// A connection to a `FuzzedServer`. A script is its other side.
final class FuzzedLine: ClientConnection {
    let id: ConnectionID
    let device: Digest
    let peerBlock: AddressBlock
    let shownKey: Digest?
    /// The bytes that the other side has sent and the server hasn't read.
    private var incoming: [UInt8] = []
    private var decoder = FrameDecoder()
    /// The server's last messages.
    private(set) var messages: [Message] = []
    /// The error in the bytes that the server sent, if they can't be read; nil otherwise.
    private(set) var problem: String?
    private(set) var isClosed = false
    private var isPaused = false
    /// Whether the other side reads what the server sends.
    var reads = true {
        didSet { if reads { unsentBytes = 0 } }
    }
    private(set) var unsentBytes = 0
    let heldBytes = 0

    /// The number of the server's messages to keep.
    private static let limit = 64

    init(_ id: ConnectionID, _ device: Digest, from byte: UInt8, shown: Digest) {
        self.id = id
        self.device = device
        peerBlock = AddressBlock(address: [192, 0, 2, byte])
        shownKey = shown
    }

    var peerDescription: String { "line \(id)" }

    func send(_ bytes: [UInt8]) {
        if !reads { unsentBytes += bytes.count }
        decoder.append(bytes[...])
        do {
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
        } catch {
            problem = "\(error)"
        }
        if messages.count > FuzzedLine.limit { messages.removeFirst(messages.count - FuzzedLine.limit) }
    }

    func pauseReading() { isPaused = true }
    func resumeReading() { isPaused = false }
    func close() { isClosed = true }
    func close(within time: Duration) { isClosed = true }
    func abort() { isClosed = true }

    /// Sends bytes from the other side.
    func deliver(_ bytes: some Sequence<UInt8>) { incoming += bytes }

    /// Returns the next bytes for the server, as a socket does; nil if there are none or the server has
    /// paused reading.
    func next() -> [UInt8]? {
        guard !isPaused, !isClosed, !incoming.isEmpty else { return nil }
        let piece = Array(incoming.prefix(65_536))
        incoming.removeFirst(piece.count)
        return piece
    }
}

/// An author of a replica's events, one by one. It keeps them, to send them again.
struct FuzzedAuthor {
    let replica: ReplicaID
    let group: GroupID
    private(set) var written: [Segment] = []
    private(set) var head = Head.empty
    private var stamp = Stamp.zero

    init(_ replica: UInt64, _ group: GroupID) {
        self.replica = ReplicaID(rawValue: replica)
        self.group = group
    }

    /// Writes the next event.
    ///
    /// - Parameters:
    ///   - time: The time of the event's stamp. The stamp is later if it must rise.
    ///   - epoch: The event's epoch.
    ///   - body: The value and the number of the body's bytes.
    /// - Returns: A segment of that event; nil if the time or the body isn't possible.
    mutating func write(at time: SharedInstant, _ epoch: EpochID, body: (byte: UInt8, count: Int)) throws
        -> Segment?
    {
        guard let asked = Stamp(time: min(max(.zero, time), Stamp.timeLimit - .milliseconds(1)), counter: 0)
        else { return nil }
        let stamp = max(asked, Stamp(rawValue: self.stamp.rawValue + 1))
        var builder = SegmentBuilder(replica: replica, firstSeq: head.seq + 1, chainBefore: head.chain)
        let bytes = [UInt8](repeating: body.byte, count: body.count)
        guard builder.append(stamp: stamp, epoch: epoch, body: bytes), let segment = builder.segment() else {
            return nil
        }
        var hasher = try ChainHasher(group: group)
        let event = SealedEvent(
            id: EventID(replica: replica, seq: head.seq + 1), stamp: stamp, epoch: epoch, body: bytes)
        head = Head(seq: head.seq + 1, chain: try hasher.chain(after: head.chain, event))
        self.stamp = stamp
        written.append(segment)
        return segment
    }
}
