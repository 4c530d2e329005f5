import FocusCore
import FocusSync
import Testing

/// A stand-in for the hash chain: deterministic, and different for different events.
func fakeChain(_ before: Chain, _ event: PackedEvent, _ body: RawSpan) -> Chain {
    var high = before.high ^ 0xCBF2_9CE4_8422_2325
    var low = before.low &+ 0x9E37_79B9_7F4A_7C15
    func mix(_ word: UInt64) {
        high = (high ^ word) &* 0x0000_0100_0000_01B3
        high ^= high >> 29
        low = (low &+ word) &* 0xBF58_476D_1CE4_E5B9
        low ^= low >> 31
    }
    for word in [event.id.replica.rawValue, event.id.seq, event.stamp.rawValue, event.epoch.rawValue] {
        mix(word)
    }
    for index in body.byteOffsets { mix(UInt64(body.unsafeLoad(fromByteOffset: index, as: UInt8.self))) }
    return Chain(high: high, low: low)
}

let replicaA = ReplicaID(rawValue: 0xA)
let replicaB = ReplicaID(rawValue: 0xB)
let firstEpoch = EpochID(rawValue: 0xE)
let group = RecordedWorld.group

/// Returns a digest of 32 equal bytes.
func digest(_ byte: UInt8) -> Digest {
    guard let digest = Digest(bytes: [UInt8](repeating: byte, count: Digest.length)) else {
        preconditionFailure("32 bytes make a digest")
    }
    return digest
}

/// Returns events of a replica, with `seq` from 1, stamps a millisecond apart, and bodies of `length` bytes.
func makeEvents(_ replica: ReplicaID, _ count: Int, length: Int = 80, from ms: Int64 = 1_000) -> [SealedEvent]
{
    (1...count).map { seq in
        SealedEvent(
            id: EventID(replica: replica, seq: UInt64(seq)),
            stamp: Stamp(rawValue: UInt64(ms + Int64(seq)) << 16), epoch: firstEpoch,
            body: [UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: length))
    }
}

/// Returns the chains up to each event, preceded by the empty chain.
func chains(of events: [SealedEvent]) -> [Chain] {
    guard let segment = Segment(events, chainBefore: .empty) else { return [.empty] }
    let bytes = segment.packed.span.bytes
    var chains = [Chain.empty]
    for event in segment.events {
        chains.append(fakeChain(chains[chains.count - 1], event, bytes.extracting(event.body)))
    }
    return chains
}

/// Returns the events from `seq` on as one segment.
func segment(_ events: [SealedEvent], from seq: Int = 1) throws -> Segment {
    struct NoSegment: Error {}
    guard let segment = Segment(events[(seq - 1)...], chainBefore: chains(of: events)[seq - 1]) else {
        throw NoSegment()
    }
    return segment
}

/// Returns the messages of a frame.
func message(_ frame: [UInt8]) throws -> [Message] {
    var decoder = FrameDecoder()
    decoder.append(frame[...])
    var messages: [Message] = []
    while let frame = try decoder.next() { messages.append(try Message(frame)) }
    return messages
}

/// Returns the message that sends a request with this number.
func numbered(_ number: UInt64, _ request: GroupRequest) -> Message {
    .request(RequestNumber(number), request)
}

/// Expects a property of a session to equal a value. `#expect` would have to copy the session, which is
/// impossible.
func expect<Value: Equatable>(
    _ value: Value, is expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, sourceLocation: sourceLocation)
}

extension ServerSession {
    /// Returns these effects, and the effects of every turn that the session asks for.
    mutating func givenTurns(_ effects: [ServerEffect]) -> [ServerEffect] {
        var all: [ServerEffect] = []
        var left = effects[...]
        while let effect = left.popFirst() {
            if case .turn = effect { left += beginTurn() } else { all.append(effect) }
        }
        return all
    }
}
