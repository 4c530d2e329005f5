import FocusCore
import TestSupport
import Testing

@testable import FocusSync

@Suite("What a server keeps of a client's uploads and pings")
struct ClientRateLimitersTests {
    @Test(
        "each upload that came before its replica was wanted anew is the client's no longer, and no later one"
    )
    func disowned() throws {
        var uploads = PendingUploads()
        func append(_ seq: UInt64) throws {
            var builder = SegmentBuilder(replica: .a, firstSeq: seq, chainBefore: .empty)
            let body = [UInt8](repeating: 0, count: 80)
            let isTaken = builder.append(
                stamp: Stamp(rawValue: seq), epoch: EpochID(rawValue: 1), body: body)
            #expect(isTaken)
            uploads.append(try #require(builder.segment()))
        }
        for seq in 1...4 as ClosedRange<UInt64> { try append(seq) }
        uploads.disown(.a)
        try append(5)
        var owned: [Bool] = []
        while let answered = uploads.answered(.a) { owned.append(answered.isOwned) }
        #expect(owned == [false, false, false, false, true])
        #expect(uploads.disownedCount == 0 && uploads.count == 0)
    }

    @Test("pings are counted within their window: a client that keeps to it is never let rest")
    func pings() {
        var pace = PingLimiter()
        let start = SteadyInstant.zero + .seconds(5)
        for window in 0..<3 {
            for ping in 0..<3 {
                pace.answered(at: start + Limits.pingWindow * window + .seconds(ping), limit: 4)
                #expect(pace.restsUntil == nil)
            }
        }
        let last = start + Limits.pingWindow * 3
        for ping in 0..<4 { pace.answered(at: last + .seconds(ping), limit: 4) }
        #expect(pace.restsUntil == last + Limits.pingWindow)
    }
}
