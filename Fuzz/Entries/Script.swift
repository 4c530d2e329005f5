import FocusCore
import FocusSync

/// An input that is read as a script of a session's events. After its end it continues with zeros.
struct Script {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    /// Whether the script has ended.
    var isOver: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Reads a byte as a count, and returns that number of bytes; fewer if the script ends.
    mutating func bytes() -> ArraySlice<UInt8> {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Returns one of four replicas. Fuzzers would seldom choose the same one twice among 2^64.
    mutating func replica() -> ReplicaID { ReplicaID(rawValue: UInt64(byte() % 4)) }

    /// Returns a small seq, or one near a limit.
    mutating func seq() -> UInt64 {
        let value = UInt64(byte())
        let edges: [UInt64] = [1 << 32, 1 << 62, (1 << 63) - 2, (1 << 63) - 1]
        return value < 252 ? value : edges[Int(value - 252)]
    }

    /// Returns a head with a chain of one of two branches.
    mutating func head() -> Head {
        let value = byte()
        return Script.head(seq(), branch: UInt64(value % 2))
    }

    /// Returns the head of a branch at a seq.
    static func head(_ seq: UInt64, branch: UInt64) -> Head {
        seq == 0 ? .empty : Head(seq: seq, chain: Chain(high: branch + 1, low: seq))
    }

    mutating func vector() -> VersionVector {
        var vector = VersionVector()
        for _ in 0..<(byte() % 4) { vector[replica()] = head() }
        return vector
    }

    /// Returns a head of the device's own log, with a seq that a real device can have.
    mutating func ownHead() -> Head {
        let branch = byte() % 2
        return Script.head(UInt64(byte()), branch: UInt64(branch))
    }

    /// Returns up to four events from `seq` on; nil if the script says that there are none.
    mutating func segment(_ replica: ReplicaID, from seq: UInt64) -> Segment? {
        let count = byte() % 5
        var builder = SegmentBuilder(
            replica: replica, firstSeq: seq,
            chainBefore: seq <= 1 ? .empty : Script.head(seq - 1, branch: 0).chain)
        for _ in 0..<count {
            _ = builder.append(
                stamp: Stamp(rawValue: UInt64(byte()) << 24), epoch: EpochID(rawValue: 14),
                body: [UInt8](repeating: 1, count: SealedEvent.bodyMinimum))
        }
        guard let segment = builder.segment() else { return nil }
        // Decodes the segment as from the wire or the store, which refuse seqs that are too large.
        return try? Segment(
            replica: replica, firstSeq: seq, chainBefore: segment.chainBefore, packed: segment.packed)
    }

    /// Returns the reason of a refusal; nil if there is none.
    mutating func code() -> RefusalCode? {
        let value = byte()
        return value < 128 ? nil : RefusalCode(rawValue: value % 20 + 1)
    }

    /// Returns a frame with a correct length. Its type and body may be invalid.
    mutating func frame() -> [UInt8] {
        let type = byte()
        let body = bytes()
        var frame: [UInt8] = []
        frame.appendBigEndian(UInt32(clamping: body.count + 1))
        return frame + [type] + body
    }

    static let group = GroupID(high: 1, low: 2)

    static func digest(_ byte: UInt8) throws -> Digest {
        guard let digest = Digest(bytes: Array(repeating: byte, count: Digest.length)) else {
            throw BrokenProperty(description: "32 bytes are a digest")
        }
        return digest
    }
}

/// A check that the other side can read the bytes that a session sends.
struct SentBytes {
    private var decoder = FrameDecoder()

    mutating func check(_ bytes: [UInt8]) throws {
        decoder.append(bytes[...])
        do throws(WireError) {
            while let frame = try decoder.next() { _ = try Message(frame) }
        } catch {
            throw BrokenProperty(description: "what is sent can be read: \(error)")
        }
    }
}

/// A session with its driver, as a script tests it.
protocol SessionDriver: ~Copyable {
    associatedtype Effect: SessionEffect
    /// The session's pending requests.
    var pendingEffects: PendingEffects<Effect> { get set }
    /// The instant at which the session wants to be called again; nil if never.
    var nextDeadline: SteadyInstant? { get }
    /// Passes the other side's bytes to the session, and returns its effects.
    mutating func deliver(_ bytes: ArraySlice<UInt8>) -> [Effect]
}

extension SessionDriver where Self: ~Copyable {
    /// Delivers a message from the other side.
    mutating func receive(_ message: Message) throws { try recordEffects(deliver(message.encoded()[...])) }

    /// Records the session's effects; throws if the session may not request one of them.
    mutating func recordEffects(_ effects: [Effect]) throws {
        try pendingEffects.add(effects)
        try hold(!pendingEffects.isOver || nextDeadline == nil, "a session that is over waits for nothing")
    }
}

/// An effect of a session.
protocol SessionEffect: SendingEffect {
    /// Whether the effect ends the connection.
    var isClose: Bool { get }
}

extension ClientEffect: SessionEffect {
    var isClose: Bool { if case .close = self { true } else { false } }
}

extension ServerEffect: SessionEffect {
    var isClose: Bool { if case .close = self { true } else { false } }
}

/// A session's effects that haven't been answered yet.
struct PendingEffects<Effect: SessionEffect> {
    private var pending: [Effect] = []
    private var sent = SentBytes()
    /// Whether the session has ended the connection.
    private(set) var isOver = false

    fileprivate mutating func add(_ effects: [Effect]) throws {
        try hold(!isOver || effects.isEmpty, "nothing is asked for after the end")
        for effect in effects {
            if let bytes = effect.bytesToSend { try sent.check(bytes) }
            if effect.isClose { isOver = true } else { pending.append(effect) }
        }
    }

    /// Removes and returns the oldest effect; nil if there is none.
    mutating func next() -> Effect? { pending.isEmpty ? nil : pending.removeFirst() }
}
