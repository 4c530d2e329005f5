import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of the rate limits of devices and groups, with the writer and a store.
@Suite struct UploadRateTests {
    private let group = ServerFixture.group

    private func limits(device: Int, burst: Int, group: Int = 1_000, groupBurst: Int = 1_000) -> ServerLimits
    {
        var limits = ServerLimits()
        limits.deviceEventsPerSecond = device
        limits.deviceBurst = burst
        limits.groupEventsPerSecond = group
        limits.groupBurst = groupBurst
        return limits
    }

    private func stops(_ outcomes: [CommitOutcome]) -> [Ack.Stop?] {
        outcomes.answers.compactMap { if case .merged(_, _, let stop, _) = $0 { .some(stop) } else { nil } }
    }

    @Test("a device that writes too much is told when to go on, what it may is taken, and others write on")
    func device() throws {
        let fixture = try ServerFixture(limits(device: 10, burst: 20))
        var (one, other) = (Author(1), Author(2))
        let segment = try one.write(50)
        let outcomes = try fixture.run([
            .merge(segment, group, by: digest(1), from: 9),
            .merge(other.write(20), group, by: digest(2), from: 8),
        ])
        #expect(outcomes.seqs == [20, 20])
        // The next 20 events fill the bucket, which takes 2 seconds at 10 events a second.
        #expect(stops(outcomes) == [Ack.Stop(code: .rate, after: 2_001), nil])
        try fixture.expectStoreMatchesMemory()

        // This upload comes before the time that the refusal named, so the writer doesn't look at it.
        let early = try fixture.run([.merge(segment, group, by: digest(1), from: 9)])
        #expect(early.seqs == [20])
        #expect(stops(early).map(\.?.code) == [.rate])
        let later = try fixture.run([.merge(segment, group, by: digest(1), from: 9)], after: 2)
        #expect(later.seqs == [40])
        let last = try fixture.run([.merge(segment, group, by: digest(1), from: 9)], after: 4)
        #expect(last.seqs == [50])
        #expect(stops(last) == [nil])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a group whose devices write too much together is told so, and another group isn't")
    func groups() throws {
        let fixture = try ServerFixture(limits(device: 1_000, burst: 1_000, group: 5, groupBurst: 10))
        let quiet = GroupID(high: 7, low: 7)
        try fixture.store.write { try $0.addGroupWithEpoch(quiet, now: 0) }
        try fixture.restart()
        var (one, two, three) = (Author(1), Author(2), Author(3))
        let outcomes = try fixture.run([
            .merge(one.write(8), group, by: digest(1), from: 7),
            .merge(two.write(8), group, by: digest(2), from: 8),
            // This upload is in the same batch, but the other group's rate doesn't apply to it.
            .merge(three.write(1), quiet, by: digest(3), from: 9),
        ])
        #expect(outcomes.seqs.prefix(2) == [8, 2])
        #expect(stops(outcomes).map(\.?.code) == [nil, .rate, nil])
    }

    @Test("events that the server has are charged like new ones, so a flood of them ends too")
    func repeated() throws {
        let fixture = try ServerFixture(limits(device: 1, burst: 22))
        var author = Author(1)
        let segment = try author.write(10)
        let request = WriterRequest.merge(segment, group, by: try digest(1), from: 9)
        let outcomes = try fixture.run([request, request, request, request])
        #expect(stops(outcomes).map(\.?.code) == [nil, nil, nil, .rate])
        #expect(outcomes.seqs == [10, 10, 10, 10])
        #expect(outcomes.pushes.count == 1)
    }

    @Test("an upload that leaves a gap is charged like an event, though nothing is done for it")
    func gaps() throws {
        let fixture = try ServerFixture(limits(device: 1, burst: 3))
        var author = Author(1)
        _ = try author.write(1)
        let request = WriterRequest.merge(try author.write(10), group, by: try digest(1), from: 9)
        let outcomes = try fixture.run([request, request, request, request])
        #expect(stops(outcomes).map(\.?.code) == [.gap, .gap, .gap, .rate])
    }

    @Test("devices that rest are forgotten, so the memory of rates doesn't grow") func forgetting() throws {
        let fixture = try ServerFixture(limits(device: 10, burst: 20))
        var author = Author(1)
        _ = try fixture.run([.merge(author.write(20), group, by: digest(1), from: 9)])
        let fresh = UploadRates(fixture.limits)
        _ = try fixture.run([.note([:], greatestServed: 0)], after: 1)
        #expect(fixture.rates != fresh)
        _ = try fixture.run([.note([:], greatestServed: 0)], after: 2)
        #expect(fixture.rates == fresh)
    }

    private let measure = TokenBucket.Measure(rate: 10, burst: 50)

    @Test("neither a clock that stands still nor the largest numbers overflow") func extremes() {
        let huge = TokenBucket.Measure(rate: 1_000_000, burst: .max)
        var bucket = TokenBucket(huge, at: SteadyInstant(microseconds: .min / 4))
        bucket.take(.max, huge, at: 0)
        #expect(bucket.count(huge, at: SteadyInstant(microseconds: .max / 4)) > 0)
        var small = TokenBucket(measure, at: 5)
        small.take(7, measure, at: 5)
        #expect(small.count(measure, at: 4) == 43)
        small.take(50, measure, at: 5)
        #expect(small.wait(for: .max, measure, at: 5) == .seconds(5))
    }

    @Test("no more buckets are kept than allowed: who comes then shares one, until others are full again")
    func bounded() {
        var buckets = TokenBuckets<Int>(measure, keeping: 2)
        buckets.take(50, of: 1, at: 0)
        buckets.take(10, of: 2, at: 0)
        buckets.take(30, of: 3, at: 0)
        #expect(buckets.count == 2)
        #expect(buckets.count(of: 4, at: 0) == 20)
        #expect(buckets.count(of: 1, at: 0) == 0)
        #expect(buckets.count(of: 2, at: 0) == 40)
        // By then the second bucket is full, and is dropped to make room for another.
        buckets.take(20, of: 4, at: 1_000_000)
        #expect(buckets.count(of: 4, at: 1_000_000) == 30)
        buckets.take(20, of: 4, at: 2_000_000)
        #expect(buckets.count(of: 4, at: 2_000_000) == 20)
        #expect(buckets.count == 2)
        buckets.forgetFull(at: 60_000_000)
        #expect(buckets.count == 0)
    }

    @Test("there is no wait for tokens that are there") func noWait() {
        var bucket = TokenBucket(measure, at: 0)
        #expect(bucket.wait(for: 50, measure, at: 0) == .zero)
        bucket.take(40, measure, at: 0)
        #expect(bucket.wait(for: 10, measure, at: 0) == .zero)
        #expect(bucket.wait(for: 11, measure, at: 0) == .milliseconds(100))
    }

    @Test("requests that rest are forgotten like uploads") func forgottenRequests() throws {
        let fresh = UploadRates(limits(device: 50, burst: 1_000))
        var rates = fresh
        _ = rates.chargeRequest(100, try digest(1), at: 0)
        rates.forgetFull(at: 1_999_999)
        #expect(rates != fresh)
        rates.forgetFull(at: 2_000_000)
        #expect(rates == fresh)
    }

    @Test("charges that are taken back leave all rates as they were") func takenBack() throws {
        let fresh = UploadRates(limits(device: 10, burst: 20, group: 10, groupBurst: 20))
        let device = try digest(1)
        var rates = fresh
        let first = [
            rates.chargeUpload(3, work: 1, device, in: group, at: 0), rates.chargeRequest(3, device, at: 0),
        ]
        let before = rates
        let second = [
            rates.chargeUpload(5, work: 1, device, in: group, at: 100_000),
            rates.chargeRequest(5, device, at: 100_000),
        ]
        #expect(rates != before)
        for charge in second.reversed() { rates.takeBack(charge) }
        #expect(rates == before)
        for charge in first.reversed() { rates.takeBack(charge) }
        #expect(rates == fresh)
    }
}
