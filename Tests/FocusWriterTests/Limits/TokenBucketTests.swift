import FocusCore
import TestSupport
import Testing

@testable import FocusWriter

@Suite struct TokenBucketTests {
    private let measure = TokenBucket.Measure(rate: 10, burst: 50)

    @Test("a bucket begins full, is emptied, and fills at its rate up to its burst") func filling() {
        var bucket = TokenBucket(measure, at: 0)
        #expect(bucket.count(measure, at: 0) == 50)
        bucket.take(45, measure, at: 0)
        #expect(bucket.count(measure, at: 0) == 5)
        #expect(bucket.count(measure, at: 1_550_000) == 20)
        bucket.take(100, measure, at: 1_550_000)
        #expect(bucket.count(measure, at: 1_550_000) == 0)
        #expect(bucket.count(measure, at: 3_600_000_000) == 50)
        #expect(bucket.isFull(measure, at: 3_600_000_000))
    }

    @Test("the wait is the time until the bucket has enough tokens, at most until it is full") func waiting()
    {
        var bucket = TokenBucket(measure, at: 0)
        bucket.take(50, measure, at: 0)
        #expect(bucket.wait(for: 10, measure, at: 0) == .seconds(1))
        #expect(bucket.wait(for: 1_000, measure, at: 0) == .seconds(5))
        #expect(bucket.wait(for: .max, measure, at: 0) == .seconds(5))
        #expect(bucket.wait(for: 10, measure, at: 1_000_000) == .zero)
    }

    @Test("neither a clock that stands still nor the largest numbers overflow") func extremes() {
        let huge = TokenBucket.Measure(rate: 1_000_000, burst: .max)
        var bucket = TokenBucket(huge, at: SteadyInstant(microseconds: .min / 4))
        bucket.take(.max, huge, at: 0)
        #expect(bucket.count(huge, at: SteadyInstant(microseconds: .max / 4)) > 0)
        var small = TokenBucket(measure, at: 5)
        small.take(7, measure, at: 5)
        #expect(small.count(measure, at: 4) == 43)
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
}
