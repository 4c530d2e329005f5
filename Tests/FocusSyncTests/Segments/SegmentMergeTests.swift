import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("Merging a segment")
struct SegmentMergeTests {
    private let events = makeEvents(replicaA, 10)
    private var chains: [Chain] { FocusSyncTests.chains(of: events) }

    /// Returns the head of a log that has the events through `seq`.
    private func head(_ seq: Int) -> ReplicaHead {
        seq == 0
            ? .empty
            : ReplicaHead(head: Head(seq: UInt64(seq), chain: chains[seq]), stamp: events[seq - 1].stamp)
    }

    private func merge(
        _ segment: Segment, onto seq: Int, admission: Admission = .all,
        isKnown: (EpochID) -> Bool = { _ in true }
    ) -> SegmentMerge {
        head(seq).merging(
            segment, admission: admission, isKnown: isKnown, holds: { chains[Int($0.seq)] == $0.chain },
            chain: fakeChain)
    }

    @Test("what follows on is taken whole")
    func follows() throws {
        for seq in 0..<10 {
            let segment = try segment(events, from: seq + 1)
            #expect(merge(segment, onto: seq) == SegmentMerge(head: head(10), taken: segment, stop: nil))
        }
    }

    @Test("the same bytes again are acknowledged again, also if they end below the head")
    func again() throws {
        for last: UInt64 in [4, 10] {
            let known = try #require(try segment(events).prefix(through: last))
            #expect(merge(known, onto: 10) == SegmentMerge(head: head(10), taken: nil, stop: nil))
        }
    }

    @Test("a gap takes nothing")
    func gap() throws {
        #expect(
            merge(try segment(events, from: 5), onto: 3)
                == SegmentMerge(head: head(3), taken: nil, stop: .gap))
    }

    @Test("other events under the same names take nothing, wherever they begin")
    func parted() throws {
        for first in 1...10 {
            let other = events.map { event in
                Int(event.id.seq) < first
                    ? event
                    : SealedEvent(
                        id: event.id, stamp: event.stamp, epoch: event.epoch,
                        body: [UInt8](repeating: 99, count: 80))
            }
            for seq in first...10 {
                for start in 1...(seq + 1) where start <= 10 {
                    let merged = merge(try segment(other, from: start), onto: seq)
                    #expect(merged == SegmentMerge(head: head(seq), taken: nil, stop: .parted))
                }
            }
        }
    }

    @Test("the longest good prefix is taken before an event that lies ahead")
    func ahead() throws {
        let limit = events[6].stamp
        let merged = merge(try segment(events, from: 3), onto: 4, admission: .upTo(limit))
        #expect(merged.stop == .clockAhead)
        #expect(merged.head == head(7))
        #expect(merged.taken == (try segment(events, from: 5).prefix(through: 7)))
    }

    @Test("a log that takes nothing new still acknowledges what it has")
    func notSure() throws {
        #expect(
            merge(try segment(events, from: 5), onto: 10, admission: .none)
                == SegmentMerge(head: head(10), taken: nil, stop: nil))
        #expect(
            merge(try segment(events, from: 5), onto: 4, admission: .none)
                == SegmentMerge(head: head(4), taken: nil, stop: .clockNotSure))
    }

    @Test("stamps have to rise, from the head on, and to be below 2^63")
    func stamps() throws {
        func with(_ stamp: UInt64, at seq: Int) throws -> Segment {
            var changed = events
            let event = events[seq - 1]
            changed[seq - 1] = SealedEvent(
                id: event.id, stamp: Stamp(rawValue: stamp), epoch: event.epoch, body: event.body)
            return try segment(changed)
        }
        let same = merge(try with(events[3].stamp.rawValue, at: 5), onto: 4)
        #expect(same.stop == .malformed)
        #expect(same.head == head(4))
        let within = merge(try with(events[3].stamp.rawValue, at: 5), onto: 0)
        #expect(
            within
                == SegmentMerge(
                    head: head(4), taken: try segment(events).prefix(through: 4), stop: .malformed))
        let tooGreat = merge(try with(1 << 63, at: 5), onto: 0)
        #expect(tooGreat.stop == .malformed)
        #expect(tooGreat.head == head(4))
        #expect(merge(try with(0, at: 1), onto: 0).stop == nil)
    }

    @Test("an epoch that isn't known stops the replica")
    func epochs() throws {
        let mixed = events.map { event in
            event.id.seq < 6
                ? event
                : SealedEvent(id: event.id, stamp: event.stamp, epoch: EpochID(rawValue: 2), body: event.body)
        }
        let merged = merge(try segment(mixed), onto: 0, isKnown: { $0 == firstEpoch })
        #expect(merged.stop == .unknownEpoch)
        #expect(merged.head == head(5))
    }

    @Test(
        "the server takes what lies 2 minutes ahead of its clock, or what only follows a log that is further ahead"
    )
    func admission() {
        let ms: Int64 = 1_763_661_600_000
        let atLimit = Admission.upTo(Stamp(rawValue: UInt64(ms + 120_000) << 16 | 0xFFFF))
        #expect(Admission.server(now: SharedInstant(milliseconds: ms), latest: .zero) == atLimit)
        let latest = Stamp(rawValue: UInt64(ms) << 16 | 3)
        #expect(Admission.server(now: SharedInstant(milliseconds: ms), latest: latest) == atLimit)
        #expect(
            Admission.server(now: 0, latest: latest) == .upTo(Stamp(rawValue: UInt64(ms + 1) << 16 | 0xFFFF)))
        let last = Stamp(rawValue: 1 << 63 - 1)
        #expect(Admission.server(now: 0, latest: last) == .upTo(last))
        #expect(Admission.server(now: nil, latest: .zero) == .none)
        #expect(Admission.server(now: .distantFuture, latest: .zero) == .upTo(Stamp(rawValue: 1 << 63 - 1)))
    }
}
