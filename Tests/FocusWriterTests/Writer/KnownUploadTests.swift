import FocusCore
import FocusSeal
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

@Suite("What is sent again that is there")
struct KnownUploadTests {
    private let group = ServerFixture.group
    private let fixture: ServerFixture
    /// All events of one replica, in one segment.
    private let whole: Segment
    /// The number of these events in each of the store's rows. Every row was an upload of its own.
    private let rows = [4, 1, 7, 3, 5]

    init() throws {
        fixture = try ServerFixture()
        // Both authors write the same events.
        var (author, again) = (Author(1), Author(1))
        for count in rows {
            _ = try fixture.run([.merge(author.write(count), group, by: digest(1), from: 9)])
        }
        whole = try again.write(rows.reduce(0, +))
    }

    private func chains() throws -> [Chain] {
        var hasher = try ChainHasher(group: group)
        var chains = [Chain.empty]
        for event in whole.events {
            chains.append(
                try hasher.chain(
                    after: chains[chains.count - 1], id: event.id, stamp: event.stamp, epoch: event.epoch,
                    body: whole.packed.span.bytes.extracting(event.body)))
        }
        return chains
    }

    private func part(_ seqs: ClosedRange<Int>, after chain: Chain) throws -> Segment {
        let suffix = try #require(whole.suffix(from: UInt64(seqs.lowerBound), chainBefore: chain))
        return try #require(suffix.prefix(through: UInt64(seqs.upperBound)))
    }

    @Test("each part of a log is recognized, unless it follows another chain")
    func parts() throws {
        let chains = try chains()
        let last = whole.count
        for first in 1...last {
            for end in first...last {
                func stop(after chain: Chain) throws -> RefusalCode? {
                    let upload = try part(first...end, after: chain)
                    let outcomes = try fixture.run([.merge(upload, group, by: digest(1), from: 9)])
                    #expect(outcomes.compactMap(\.push).isEmpty)
                    return outcomes.compactMap(\.ack).first?.stop
                }
                #expect(try stop(after: chains[first - 1]) == nil, "from \(first) to \(end)")
                guard first > 1 else { continue }
                #expect(
                    try stop(after: Chain(high: 7, low: 7)) == .parted, "from \(first) to \(end), otherwise")
            }
        }
    }

    @Test("other bytes under the same seqs are no part of the log")
    func otherBytes() throws {
        let chains = try chains()
        let name = try fixture.name
        for seq in 2..<whole.count {
            var packed = try part(seq...seq, after: chains[seq - 1]).packed
            packed[packed.count - 1] ^= 1
            let other = try Segment(
                replica: whole.replica, firstSeq: UInt64(seq), chainBefore: chains[seq - 1], packed: packed)
            // No event has the head's chain, so only equal bytes could make it known.
            let found = try fixture.store.read {
                try $0.holds(
                    Head(seq: UInt64(seq), chain: Chain(high: 7, low: 7)), of: other, in: name)
            }
            #expect(!found.isHeld)
            let outcomes = try fixture.run([.merge(other, group, by: digest(1), from: 9)])
            #expect(outcomes.compactMap(\.ack).first?.stop == .parted)
        }
    }
}
