import FocusCore
import FocusSync

/// An input read as a script of what happens to a session. A script that has come to its end goes on with zeros.
struct Script {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    /// Whether nothing more happens.
    var isOver: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// As many bytes as the next one says, less where the script ends.
    mutating func bytes() -> ArraySlice<UInt8> {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// One of four replicas, which fuzzers would seldom hit upon among 2^64.
    mutating func replica() -> ReplicaID { ReplicaID(rawValue: UInt64(byte() % 4)) }

    /// A small seq, or one at an edge.
    mutating func seq() -> UInt64 {
        let value = UInt64(byte())
        let edges: [UInt64] = [1 << 32, 1 << 62, (1 << 63) - 2, (1 << 63) - 1]
        return value < 252 ? value : edges[Int(value - 252)]
    }

    /// A head whose chain tells apart two branches.
    mutating func head() -> Head {
        let value = byte()
        return Script.head(seq(), branch: UInt64(value % 2))
    }

    /// The head of a branch at a seq.
    static func head(_ seq: UInt64, branch: UInt64) -> Head {
        seq == 0 ? .empty : Head(seq: seq, chain: Chain(high: branch + 1, low: seq))
    }

    mutating func vector() -> VersionVector {
        var vector = VersionVector()
        for _ in 0..<(byte() % 4) { vector[replica()] = head() }
        return vector
    }

    /// What a device has: no more events than could ever be counted.
    mutating func ownHead() -> Head {
        let branch = byte() % 2
        return Script.head(UInt64(byte()), branch: UInt64(branch))
    }

    /// Up to four events from this seq on; nil where the script says that there are none.
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
        // Read as it would be from the wire or the store, which refuse seqs that are too large.
        return try? Segment(
            replica: replica, firstSeq: seq, chainBefore: segment.chainBefore, packed: segment.packed)
    }

    /// Why something isn't taken; nil where it is.
    mutating func code() -> RefusalCode? {
        let value = byte()
        return value < 128 ? nil : RefusalCode(rawValue: value % 20 + 1)
    }

    /// A frame whose length is right, of a type and a body that may not be.
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

/// What a session sends has to be what the other side can read.
struct SentBytes {
    private var decoder = FrameDecoder()

    mutating func take(_ bytes: [UInt8]) throws {
        decoder.append(bytes[...])
        do throws(WireError) {
            while let frame = try decoder.next() { _ = try Message(frame) }
        } catch {
            throw BrokenProperty(description: "what is sent can be read: \(error)")
        }
    }
}

/// What surrounds a session while a script says what happens to it.
protocol SessionShell: ~Copyable {
    associatedtype Effect: SessionEffect
    /// What the session has asked for.
    var asked: AskedEffects<Effect> { get set }
    /// When the session wants to be woken.
    var nextDeadline: SteadyInstant? { get }
    /// Hands the session what the other side sent.
    mutating func deliver(_ bytes: ArraySlice<UInt8>) -> [Effect]
}

extension SessionShell where Self: ~Copyable {
    /// The other side sends this.
    mutating func receive(_ message: Message) throws { try take(deliver(message.encoded()[...])) }

    /// Takes down what the session asks for; throws where it may not ask for that.
    mutating func take(_ effects: [Effect]) throws {
        try asked.take(effects)
        try hold(!asked.isOver || nextDeadline == nil, "a session that is over waits for nothing")
    }
}

/// Something that a session asks for.
protocol SessionEffect: SendingEffect {
    /// Whether it ends the connection.
    var isClose: Bool { get }
}

extension ClientEffect: SessionEffect {
    var isClose: Bool { if case .close = self { true } else { false } }
}

extension ServerEffect: SessionEffect {
    var isClose: Bool { if case .close = self { true } else { false } }
}

/// What a session has asked for, as far as it hasn't been answered.
struct AskedEffects<Effect: SessionEffect> {
    private var pending: [Effect] = []
    private var sent = SentBytes()
    /// Whether the session has ended the connection.
    private(set) var isOver = false

    fileprivate mutating func take(_ effects: [Effect]) throws {
        try hold(!isOver || effects.isEmpty, "nothing is asked for after the end")
        for effect in effects {
            if let bytes = effect.bytesToSend { try sent.take(bytes) }
            if effect.isClose { isOver = true } else { pending.append(effect) }
        }
    }

    /// What was asked for first, which is answered now.
    mutating func next() -> Effect? { pending.isEmpty ? nil : pending.removeFirst() }
}
