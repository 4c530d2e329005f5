import FocusCore
import FocusSync
import Testing

@Suite("Segments")
struct SegmentTests {
    private let events = makeEvents(replicaA, 5)

    @Test("a segment gives back its events")
    func contents() throws {
        let segment = try segment(events)
        #expect(segment.count == 5)
        #expect(segment.lastSeq == 5)
        #expect(segment.events.map(segment.sealed) == events)
    }

    @Test("slices have the events they are asked for")
    func slices() throws {
        let whole = try segment(events)
        let chains = chains(of: events)
        let suffix = whole.suffix(from: 3, chainBefore: chains[2])
        #expect(suffix == (try segment(events, from: 3)))
        #expect(whole.suffix(from: 6, chainBefore: chains[5]) == nil)
        #expect(whole.suffix(from: 1, chainBefore: .empty) == whole)
        #expect(whole.prefix(through: 2)?.events.map(whole.sealed) == Array(events[..<2]))
        #expect(whole.prefix(through: 9) == whole)
        #expect(whole.prefix(through: 0) == nil)
        // Each event has 98 bytes.
        #expect(whole.prefix(bytes: 196).count == 2)
        #expect(whole.prefix(bytes: 293).count == 2)
        #expect(whole.prefix(bytes: 1).count == 1)
        #expect(whole.prefix(bytes: 1_000) == whole)
    }

    @Test("what isn't packed well is refused")
    func malformed() throws {
        let good = try segment(events).packed
        func parse(_ packed: [UInt8], firstSeq: UInt64 = 1, chain: Chain = .empty) throws {
            _ = try Segment(replica: replicaA, firstSeq: firstSeq, chainBefore: chain, packed: packed)
        }
        #expect(throws: Never.self) { try parse(good) }
        #expect(throws: ByteReader.Failure.truncated) { try parse(Array(good.dropLast())) }
        #expect(throws: ByteReader.Failure.truncated) { try parse(good + [0]) }
        #expect(throws: ByteReader.Failure.invalidValue) { try parse([]) }
        #expect(throws: ByteReader.Failure.invalidValue) { try parse(good, firstSeq: 0) }
        #expect(throws: ByteReader.Failure.invalidValue) { try parse(good, firstSeq: 1 << 63) }
        let last: UInt64 = 1 << 63 - 5
        #expect(throws: Never.self) { try parse(good, firstSeq: last) }
        #expect(throws: ByteReader.Failure.invalidValue) { try parse(good, firstSeq: last + 1) }
        #expect(throws: ByteReader.Failure.invalidValue) { try parse(good, chain: Chain(high: 0, low: 1)) }
    }

    @Test(
        "a body of a length that no sealed one has is refused: less than 80 bytes, more than 4,048, part of a block"
    )
    func bodyLengths() throws {
        for length in 0...4_200 {
            let packed = [UInt8](repeating: 0, count: 16) + [UInt8(length >> 8), UInt8(length & 255)]
            let segment = try? Segment(
                replica: replicaA, firstSeq: 1, chainBefore: .empty,
                packed: packed + [UInt8](repeating: 1, count: length))
            var builder = SegmentBuilder(replica: replicaA, firstSeq: 1, chainBefore: .empty)
            let isTaken = append(&builder, length)
            let isSealed = length >= 80 && length <= 4_048 && length % 64 == 16
            #expect((segment != nil) == isSealed, "a body of \(length) bytes, decoded")
            #expect(isTaken == isSealed, "a body of \(length) bytes, appended")
        }
    }

    private func append(_ builder: inout SegmentBuilder, _ length: Int) -> Bool {
        builder.append(stamp: .zero, epoch: firstEpoch, body: [UInt8](repeating: 1, count: length))
    }

    @Test("a builder stops where the segment is full, but takes one event at least")
    func builder() {
        var builder = SegmentBuilder(replica: replicaA, firstSeq: 7, chainBefore: .empty, limit: 150)
        #expect(builder.segment() == nil)
        let tookLong = append(&builder, 144)
        #expect(tookLong == true)
        let tookShort = append(&builder, 80)
        #expect(tookShort == false)
        #expect(builder.nextID == EventID(replica: replicaA, seq: 8))
        #expect(builder.segment()?.count == 1)
    }

    @Test("events that don't fit into a frame, or one of a wrong length, make no segment: none is left out")
    func leftOut() {
        let long = makeEvents(replicaA, 258, length: 4_048)
        #expect(Segment(long[..<257], chainBefore: .empty)?.count == 257)
        #expect(Segment(long, chainBefore: .empty) == nil)
        #expect(
            Segment(makeEvents(replicaA, 1) + makeEvents(replicaA, 2, length: 81)[1...], chainBefore: .empty)
                == nil)
    }

    @Test("events that don't follow each other make no segment")
    func holes() {
        #expect(Segment([events[0], events[2]], chainBefore: .empty) == nil)
        #expect(Segment([SealedEvent](), chainBefore: .empty) == nil)
    }

    @Test("a body of a wrong length is refused wherever it stands", arguments: 0..<5)
    func laterBodyLength(place: Int) throws {
        for length in [79, 81, 0, 4_049] {
            var packed: [UInt8] = []
            for number in 0..<5 {
                let length = number == place ? length : 80
                packed += [UInt8](repeating: 0, count: 16) + [UInt8(length >> 8), UInt8(length & 255)]
                packed += [UInt8](repeating: 1, count: length)
            }
            #expect(throws: ByteReader.Failure.invalidValue) {
                try Segment(replica: replicaA, firstSeq: 1, chainBefore: .empty, packed: packed)
            }
        }
    }

    @Test("however much is appended, or asked for, a segment fits into a frame", arguments: [80, 144, 4_048])
    func frame(length: Int) throws {
        var builder = SegmentBuilder(replica: replicaA, firstSeq: 1, chainBefore: .empty, limit: .max)
        while append(&builder, length) { try #require(builder.nextID.seq < 20_000) }
        let segment = try #require(builder.segment())
        let frames = [Message.push(segment).encoded(), Message.upload(segment).encoded()]
        // A frame's limit doesn't include the four bytes of its length.
        #expect(frames.allSatisfy { $0.count - 4 <= Limits.frame })
        #expect(segment.packed.count + Segment.eventHeaderLength + length > Limits.packed, "it is full")
        let decoded = try frames.flatMap(message)
        #expect(decoded == [.push(segment), .upload(segment)])
    }
}
