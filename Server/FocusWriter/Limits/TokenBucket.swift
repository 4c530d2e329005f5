package import FocusCore

/// Lets through so many a second, and so many at once after a rest: a token for each, and so many new ones a second.
package struct TokenBucket: Hashable, Sendable {
    /// How fast a bucket fills, and how much it holds.
    package struct Measure: Hashable, Sendable {
        /// New tokens a second: 1 or more.
        let rate: Int
        /// The most tokens there are: 1 or more.
        let burst: Int
    }

    /// Millionths of a token.
    private var level: Int64
    private var filled: SteadyInstant

    private static let token: Int64 = 1_000_000

    /// A full one.
    init(_ measure: Measure, at now: SteadyInstant) {
        level = TokenBucket.top(measure)
        filled = now
    }

    private static func top(_ measure: Measure) -> Int64 {
        let (top, overflow) = Int64(measure.burst).multipliedReportingOverflow(by: token)
        return overflow ? .max : top
    }

    /// How many tokens there are.
    func count(_ measure: Measure, at now: SteadyInstant) -> Int {
        Int(level(measure, now) / TokenBucket.token)
    }

    /// Takes so many out, as far as they are there.
    mutating func take(_ count: Int, _ measure: Measure, at now: SteadyInstant) {
        let (wanted, overflow) = Int64(count).multipliedReportingOverflow(by: TokenBucket.token)
        level = overflow ? 0 : max(0, level(measure, now) - wanted)
        filled = max(filled, now)
    }

    /// How long until there are so many tokens, or as many as there can be.
    func wait(for count: Int, _ measure: Measure, at now: SteadyInstant) -> Duration {
        let top = TokenBucket.top(measure)
        let (wanted, overflow) = Int64(count).multipliedReportingOverflow(by: TokenBucket.token)
        let lacking = max(0, (overflow ? top : min(wanted, top)) - level(measure, now))
        let rate = Int64(measure.rate)
        return .microseconds(lacking / rate + (lacking % rate == 0 ? 0 : 1))
    }

    /// Whether it says no more than a new one would.
    func isFull(_ measure: Measure, at now: SteadyInstant) -> Bool {
        level(measure, now) == TokenBucket.top(measure)
    }

    private func level(_ measure: Measure, _ now: SteadyInstant) -> Int64 {
        let top = TokenBucket.top(measure)
        let passed = max(0, (now - filled).inMicroseconds)
        let (gain, overflow) = passed.multipliedReportingOverflow(by: Int64(measure.rate))
        let (sum, tooMuch) = level.addingReportingOverflow(gain)
        return overflow || tooMuch ? top : min(top, sum)
    }
}

/// A bucket for each of many, of which only those are kept that aren't full.
package struct TokenBuckets<Key: Hashable & Sendable>: Hashable, Sendable {
    let measure: TokenBucket.Measure
    /// How many are kept at most. Whoever comes then shares one bucket with all others who do.
    private let limit: Int
    private var buckets: [Key: TokenBucket] = [:]
    private var shared: TokenBucket?

    /// All of them full; so many are kept at most.
    package init(_ measure: TokenBucket.Measure, keeping limit: Int = .max) {
        self.measure = measure
        self.limit = limit
    }

    /// How many are kept, but for the shared one.
    var count: Int { buckets.count }

    /// How many tokens one has.
    package func count(of key: Key, at now: SteadyInstant) -> Int {
        bucket(of: key, now).count(measure, at: now)
    }

    /// How long until one has so many tokens, or as many as there can be.
    package func wait(for count: Int, of key: Key, at now: SteadyInstant) -> Duration {
        bucket(of: key, now).wait(for: count, measure, at: now)
    }

    private func bucket(of key: Key, _ now: SteadyInstant) -> TokenBucket {
        buckets[key] ?? (buckets.count < limit ? nil : shared) ?? TokenBucket(measure, at: now)
    }

    /// Takes so many of one's tokens, as far as they are there.
    package mutating func take(_ count: Int, of key: Key, at now: SteadyInstant) {
        guard count > 0 else { return }
        if buckets[key] == nil, buckets.count >= limit { forgetFull(at: now) }
        var bucket = bucket(of: key, now)
        bucket.take(count, measure, at: now)
        if buckets[key] != nil || buckets.count < limit { buckets[key] = bucket } else { shared = bucket }
    }

    /// Forgets those that say no more than new ones would.
    mutating func forgetFull(at now: SteadyInstant) {
        buckets = buckets.filter { !$0.value.isFull(measure, at: now) }
    }
}
