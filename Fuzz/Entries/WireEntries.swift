import FocusCore
import FocusNet
import FocusSeal
import FocusSync

/// Fuzzes frames. The rest of the input arrives in pieces, and the first byte plus 1 is their size. The size
/// must not change the result.
func fuzzFrames(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let bytes = input.dropFirst()
    let (whole, failure) = frames(bytes, pieces: bytes.count)
    let (pieced, piecedFailure) = frames(bytes, pieces: Int(first) + 1)
    try hold(whole == pieced && failure == piecedFailure, "frames don't depend on how bytes arrive")
    let written = whole.flatMap { frame in
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(clamping: frame.body.count + 1))
        return bytes + [frame.type] + frame.body
    }
    try hold(bytes.starts(with: written), "frames are the bytes they came as")
}

private func frames(_ bytes: ArraySlice<UInt8>, pieces size: Int) -> ([Frame], WireError?) {
    var decoder = FrameDecoder(limit: Limits.frameBeforeKnown)
    var frames: [Frame] = []
    var rest = bytes
    while !rest.isEmpty {
        decoder.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        do throws(WireError) {
            while let frame = try decoder.next() { frames.append(frame) }
        } catch {
            return (frames, error)
        }
    }
    return (frames, nil)
}

/// Fuzzes a client's frames of a WebSocket. The rest of the input arrives in pieces, and the first byte plus 1
/// is their size. The size must not change the result.
func fuzzWebSocket(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let bytes = input.dropFirst()
    let whole = webSocket(bytes, pieces: bytes.count)
    let pieced = webSocket(bytes, pieces: Int(first) + 1)
    try hold(whole == pieced, "a WebSocket's content doesn't depend on how bytes arrive")
    try hold(
        whole.content.count + whole.reply.count <= bytes.count + 4,
        "content and replies are hardly longer than the frames")
}

/// The results of all calls of a WebSocket's decoder together.
private struct WebSocketOutcome: Equatable {
    var content: [UInt8] = []
    var reply: [UInt8] = []
    var end: WebSocketEnd?
}

private func webSocket(_ bytes: ArraySlice<UInt8>, pieces size: Int) -> WebSocketOutcome {
    var decoder = WebSocketDecoder()
    var outcome = WebSocketOutcome()
    var rest = bytes
    while !rest.isEmpty {
        var piece = [UInt8](rest.prefix(size))
        rest = rest.dropFirst(size)
        let decoded = piece.withUnsafeMutableBytes { decoder.decode($0) }
        outcome.content += piece.prefix(decoded.count)
        outcome.reply += decoded.reply
        outcome.end = decoded.end
    }
    return outcome
}

/// Fuzzes messages. The first byte is the type, and the rest is the body. A decoded message is encoded as the
/// same bytes.
func fuzzMessages(_ input: [UInt8]) throws {
    guard let type = input.first else { return }
    let frame = Frame(type: type, body: Array(input.dropFirst()))
    guard let message = try? Message(frame) else { return }
    let encoded = message.encoded()
    try hold(
        encoded.dropFirst(Frame.lengthBytes).elementsEqual(input),
        "\(message.type) is written as it was read")
}

/// Fuzzes segments. The input is the first seq, the distance from it to the seq to cut after, and the packed
/// events.
func fuzzSegments(_ input: [UInt8]) throws {
    var reader = ByteReader(input)
    guard let firstSeq: UInt64 = try? reader.fixed(), let cut = try? reader.byte(),
        let packed = try? reader.raw(reader.remaining)
    else { return }
    let before = firstSeq == 1 ? Chain.empty : Chain(high: 1, low: firstSeq)
    guard
        let segment = try? Segment(
            replica: ReplicaID(rawValue: 1), firstSeq: firstSeq, chainBefore: before, packed: Array(packed))
    else { return }
    try hold(segment.lastSeq < 1 << 63, "no seq reaches 2^63")
    let events = segment.events.map(segment.sealed)
    try hold(events.count == segment.count, "the count is that of the events")
    try hold(
        packed.count > Limits.packed || Segment(events, chainBefore: before) == segment,
        "the events make the same segment")
    let (middle, overflow) = firstSeq.addingReportingOverflow(UInt64(cut))
    guard !overflow else { return }
    let head = segment.prefix(through: middle)
    let tail = segment.suffix(from: middle + 1, chainBefore: before)
    try hold(
        (head?.packed ?? []) + (tail?.packed ?? []) == segment.packed,
        "cut in two, nothing is lost or doubled")
    try hold(
        segment.prefix(bytes: Int(cut) * 8).count >= 1, "a prefix by size has an event at least")
    try fuzzMerging(segment, cut: middle)
}

/// Merges the segment into a log that has the replica's events through `cut`.
private func fuzzMerging(_ segment: Segment, cut: UInt64) throws {
    // For this check it is enough that chains differ if the seqs differ.
    func chain(_ before: Chain, _ event: PackedEvent, _ body: RawSpan) -> Chain {
        Chain(high: 1, low: event.id.seq + 1)
    }
    let have = ReplicaHead(
        head: Head(seq: cut, chain: cut == 0 ? .empty : Chain(high: 1, low: cut + 1)), stamp: .zero)
    let merge = have.merging(
        segment, admission: .upTo(Stamp(rawValue: 1 << 62)), isKnown: { $0.rawValue % 2 == 0 },
        holds: {
            $0.chain
                == ($0.seq == segment.firstSeq - 1 ? segment.chainBefore : Chain(high: 1, low: $0.seq + 1))
        },
        chain: chain)
    let taken = merge.taken.map { UInt64($0.count) } ?? 0
    try hold(merge.head.head.seq == cut + taken, "the head moves on by what is taken")
    try hold(
        merge.stop != nil || merge.head.head.seq == max(cut, segment.lastSeq), "a merge that stops says why")
}

/// Fuzzes the bodies of epochs' records. A decoded body has the bytes that it was decoded from, and only its
/// recipients can open it.
func fuzzEpochs(_ input: [UInt8]) throws {
    guard let body = try? EpochBody(input) else { return }
    try hold(body.bytes == input, "a body is the bytes that it was read from")
    try hold(body.devices.count <= EpochBody.deviceLimit, "a body names no more devices than it may")
    try hold(!body.older.isEmpty && body.older.count <= EpochBody.olderLimit, "a body names older epochs")
    let group = GroupID(high: 0xa0a1_a2a3_a4a5_a6a7, low: 0xa8a9_aaab_acad_aeaf)
    let old = try EpochKey(SecretBytes(Array(0..<32)))
    // The ids of docs/protocol.md, "Test vectors". The record there opens with them, and inputs derived from
    // it nearly do.
    let id = EpochRecordID(
        group: group, epoch: EpochID(rawValue: 0x82d8_6408_530b_765e), predecessor: old.epoch)
    let device = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
    guard let key = try? body.key(of: id, for: device),
        let older = try? body.olderKeys(of: id, with: key)
    else { return }
    try hold(older.map(\.epoch) == body.older, "the older keys are those of the epochs that are named")
}
