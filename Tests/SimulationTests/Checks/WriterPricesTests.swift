import FocusCore
import FocusSync
import FocusWriter
import TestSupport
import TestTraits
import Testing

@testable import Simulation

private let group = GroupID(high: 1, low: 2)
private let other = GroupID(high: 3, low: 4)
private let device = Digest(InlineArray(repeating: 7))
private let replica = ReplicaID(rawValue: 0xA)
private let epoch = EpochID(rawValue: 0xE1)

@Suite("What the writer's work costs, counted a second time", .ends(within: .seconds(600)))
struct WriterPricesTests {
    /// Returns the upload of the next `count` events of the author's replica.
    private func upload(
        _ author: inout HostileAuthor, _ count: Int, to group: GroupID = group,
        on connection: ConnectionID = 1
    ) throws -> (WriterRequest, Segment) {
        let written = author.write(count, at: 1_000, epoch)
        let segment = try #require(written)
        return (
            .member(MemberRequest(.merge(segment), by: device, in: group, from: connection)), segment
        )
    }

    private func request(_ request: GroupRequest) -> WriterRequest {
        .member(MemberRequest(.group(request), by: device, in: group, from: 1))
    }

    private func merged(
        _ segment: Segment, through seq: UInt64, _ stop: RefusalCode? = nil, on connection: ConnectionID = 1
    ) -> WriterOutcome {
        .merged(
            segment.replica, head: Head(seq: seq, chain: segment.chainBefore),
            stop: stop.map { Ack.Stop(code: $0) }, to: connection)
    }

    @Test("a turn that exceeds its limit is found if another group waits, and allowed if none does")
    func turns() throws {
        for othersWait in [false, true] {
            var prices = WriterPrices(ServerLimits(), [:])
            var author = HostileAuthor(replica, group)
            var outcomes: [WriterOutcome] = []
            for _ in 0..<3 {
                let (request, segment) = try upload(&author, 1_024)
                prices.note(request)
                outcomes.append(merged(segment, through: segment.lastSeq))
            }
            if othersWait {
                var author = HostileAuthor(ReplicaID(rawValue: 0xB), other)
                prices.note(try upload(&author, 1, to: other, on: 2).0)
            }
            let excess = prices.note(outcomes, at: 0)
            #expect((excess?.contains("while others wait") ?? false) == othersWait)
        }
    }

    @Test("an upload below the head costs the hashing of its events") func belowTheHead() throws {
        var prices = WriterPrices(ServerLimits(), [:])
        var author = HostileAuthor(replica, group)
        let (request, segment) = try upload(&author, 1_000)
        let part = try #require(segment.prefix(through: 500))
        prices.note(request)
        #expect(prices.note([merged(segment, through: 1_000)], at: 0) == nil)
        let again = WriterRequest.member(MemberRequest(.merge(part), by: device, in: group, from: 1))
        for _ in 0..<20 { prices.note(again) }
        let outcomes = Array(repeating: merged(part, through: 1_000), count: 20)
        // Each upload costs 500 tokens, one for each hashed event. 17 uploads fill a batch: only one more may
        // follow.
        #expect(prices.note(outcomes, at: 0)?.contains("a batch of") == true)
    }

    @Test("a device that has used up its rate must be refused until it may write again") func rates()
        throws
    {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (10, 100)
        var prices = WriterPrices(limits, [:])
        var author = HostileAuthor(replica, group)
        func next(_ count: Int, at now: Int64, _ stop: RefusalCode? = nil) throws -> String? {
            let (request, segment) = try upload(&author, count)
            prices.note(request)
            let seq = stop == nil ? segment.lastSeq : segment.firstSeq - 1
            return prices.note([merged(segment, through: seq, stop)], at: now)
        }
        #expect(try next(100, at: 0) == nil)
        #expect(try next(10, at: 1_000_000) == nil)
        let before = author
        #expect(try next(1, at: 1_000_000, .rate) == nil)
        author = before
        #expect(try next(1, at: 1_050_000)?.contains("may write nothing") == true)
        #expect(try next(10, at: 1_500_000)?.contains("over 4") == true)
    }

    @Test("a device that has used up its rate of requests is refused") func requests() throws {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (10, 100)
        var prices = WriterPrices(limits, [:])
        let roster = (0..<64).map { _ in RosterEntry(device: device, isRevoked: false) }
        func ask(refused: Bool) -> String? {
            prices.note(request(.roster(roster)))
            let refusal = WriterOutcome.answered(
                .refused(device, Refusal(.rate, "", retry: .after(1_000))), to: 1)
            return prices.note((refused ? [refusal] : []) + [.answered(.handled, to: 1)], at: 0)
        }
        // The bucket has 1,000 tokens, which is the least, and each request costs 640.
        #expect(ask(refused: false) == nil)
        #expect(ask(refused: false) == nil)
        #expect(ask(refused: true) == nil)
        #expect(ask(refused: false)?.contains("may ask for nothing") == true)
    }
    @Test("of several requests with the same subject, any may be the refused one")
    func sameSubject() {
        var limits = ServerLimits()
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (10, 100)
        var prices = WriterPrices(limits, [:])
        let roster = (0..<64).map { _ in RosterEntry(device: device, isRevoked: false) }
        let refusal = WriterOutcome.answered(
            .refused(device, Refusal(.rate, "", retry: .after(1_000))), to: 1)
        func ask(_ times: Int) -> String? {
            for _ in 0..<times { prices.note(request(.roster(roster))) }
            let handled = (0..<times).map { _ in WriterOutcome.answered(.handled, to: 1) }
            return prices.note([refusal] + handled, at: 0)
        }
        for _ in 0..<3 { #expect(ask(2) == nil) }
        // If there is only one request, the refusal must be its answer.
        #expect(ask(1) == nil)
        prices.note(request(.revoke(device)))
        let excess = prices.note([refusal, .answered(.handled, to: 1)], at: 0)
        #expect(excess?.contains("isn't metered") == true)
    }
}
