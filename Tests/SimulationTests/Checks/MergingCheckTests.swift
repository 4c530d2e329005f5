import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import TestSupport
import TestTraits
import Testing

@testable import Simulation

private let group = GroupID(high: 0, low: 1)
private let member = Digest(InlineArray(repeating: 1))
private let (epoch, replica) = (EpochID(rawValue: 1), ReplicaID(rawValue: 7))
private let now: SharedInstant = 1_000_000_000

@Suite("Uploads, held against the protocol", .ends(within: .seconds(600)))
struct MergingCheckTests {
    /// Returns the violation found in the handling of an upload to a group that has only its first epoch.
    private func trouble(
        _ segment: Segment?, _ head: Head, _ code: RefusalCode? = nil, quota: GroupQuota = GroupQuota(),
        _ limits: ServerLimits = ServerLimits()
    ) throws -> String? {
        let before = try StoredRows.account("INSERT INTO epochs VALUES (1, 1, NULL, x'')", quota)
        var account = before
        let segment = try #require(segment)
        let upload = (
            request: MemberRequest(.merge(segment), by: member, in: group, from: 5), segment: segment,
            head: head, stop: code.map { Ack.Stop(code: $0) }
        )
        return MergingCheck(limits, at: now).note(
            upload, in: &account, from: before, grown: 0, epochs: Set(account.epochs.keys))
    }

    private func head(_ seq: UInt64) -> Head { Head(seq: seq, chain: Chain(high: seq, low: 1)) }

    private func events(_ count: Int, at time: SharedInstant = now, under epoch: EpochID = epoch) -> Segment?
    {
        var author = HostileAuthor(replica, group)
        return author.write(count, at: time, epoch)
    }

    @Test("valid events are accepted, and no others") func taking() throws {
        #expect(try trouble(events(3), head(3)) == nil)
        #expect(try trouble(events(3), head(2)) != nil)
        #expect(try trouble(events(3), .empty) != nil)
        #expect(try trouble(events(3), head(4)) != nil)
        #expect(try trouble(events(3), .empty, .rate) == nil)
        #expect(try trouble(events(3), .empty, .gap) != nil)
        #expect(try trouble(events(3), .empty, .parted) != nil)
        let gap = events(3)?.suffix(from: 2, chainBefore: Chain(high: 1, low: 1))
        #expect(try trouble(gap, .empty, .gap) == nil)
        #expect(try trouble(gap, head(3)) != nil)
    }

    @Test("early events and events of an unknown epoch are refused") func refusing() throws {
        let ahead = events(1, at: now + 125_000)
        #expect(try trouble(ahead, .empty, .clockAhead) == nil)
        #expect(try trouble(ahead, head(1)) != nil)
        #expect(try trouble(events(1), .empty, .clockAhead) != nil)
        let strange = events(1, under: EpochID(rawValue: 2))
        #expect(try trouble(strange, .empty, .unknownEpoch) == nil)
        #expect(try trouble(strange, head(1)) != nil)
        #expect(try trouble(events(1), .empty, .unknownEpoch) != nil)
    }

    @Test("only a full group is refused as full") func limiting() throws {
        #expect(try trouble(events(3), head(2), .groupFull, quota: GroupQuota(events: 2)) == nil)
        #expect(try trouble(events(3), head(3), quota: GroupQuota(events: 2)) != nil)
        #expect(try trouble(events(3), head(2), .groupFull) != nil)
        #expect(try trouble(events(3), .empty, .groupFull, quota: GroupQuota(bytes: 0)) == nil)
        #expect(try trouble(events(3), head(3), quota: GroupQuota(bytes: 0)) != nil)
        var limits = ServerLimits()
        limits.replicasPerGroup = 0
        #expect(try trouble(events(3), .empty, .groupFull, limits) == nil)
        #expect(try trouble(events(3), head(3), nil, limits) != nil)
        limits = ServerLimits()
        limits.epochsPerGroup = 1
        let strange = events(1, under: EpochID(rawValue: 2))
        #expect(try trouble(strange, .empty, .groupFull, limits) == nil)
        #expect(try trouble(strange, .empty, .unknownEpoch, limits) != nil)
    }
}
