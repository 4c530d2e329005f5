package import FocusCore
import FocusSync

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
    ///
    /// - Returns: the bucket as it was before; nil where it was full, or the shared one.
    @discardableResult
    package mutating func take(_ count: Int, of key: Key, at now: SteadyInstant) -> TokenBucket? {
        if let place = buckets.index(forKey: key) {
            let former = buckets.values[place]
            buckets.values[place].take(max(0, count), measure, at: now)
            return former
        }
        guard count > 0 else { return nil }
        if buckets.count >= limit { forgetFull(at: now) }
        let hasRoom = buckets.count < limit
        var bucket = bucket(of: key, now)
        bucket.take(count, measure, at: now)
        if hasRoom { buckets[key] = bucket } else { shared = bucket }
        return nil
    }

    /// What was taken of one's tokens is to be there again.
    ///
    /// - Parameter former: the bucket as it was before; nil where it was full.
    mutating func restore(_ former: TokenBucket?, of key: Key) { buckets[key] = former }

    /// Forgets those that say no more than new ones would.
    mutating func forgetFull(at now: SteadyInstant) {
        buckets = buckets.filter { !$0.value.isFull(measure, at: now) }
    }
}

/// How fast devices and groups may write: a bucket of events for each. What a device asks for beside uploads (rosters,
/// invites, epochs) comes from a bucket of its own: who has just brought a long log may still let another laptop in.
struct UploadRates: Hashable, Sendable {
    private var devices: TokenBuckets<Digest>
    private var groups: TokenBuckets<GroupID>
    private var requests: TokenBuckets<Digest>

    init(_ limits: ServerLimits) {
        devices = TokenBuckets(limits.deviceRate)
        groups = TokenBuckets(limits.groupRate)
        requests = TokenBuckets(limits.requestRate)
    }

    /// How many events a device may write now. One that may write none isn't to be listened to.
    func room(for device: Digest, in group: GroupID, at now: SteadyInstant) -> (device: Int, group: Int) {
        (devices.count(of: device, at: now), groups.count(of: group, at: now))
    }

    /// A device's upload had so many new events, and made so much work (`Work`), which is something even where it had
    /// none.
    ///
    /// - Returns: what that took.
    mutating func wrote(
        _ count: Int, work: Int, _ device: Digest, in group: GroupID, at now: SteadyInstant
    ) -> Charge {
        let former = devices.take(max(1, count, work), of: device, at: now)
        return .upload(device, former, group, groups.take(count, of: group, at: now))
    }

    /// Whether a device may ask for something now.
    func mayAsk(_ device: Digest, at now: SteadyInstant) -> Bool { requests.count(of: device, at: now) > 0 }

    /// What a device asked for made so much work (`Work`).
    ///
    /// - Returns: what that took.
    mutating func asked(_ work: Int, _ device: Digest, at now: SteadyInstant) -> Charge {
        .request(device, requests.take(max(1, work), of: device, at: now))
    }

    /// What was taken from whoever had something done, and how it was before.
    enum Charge {
        case upload(Digest, TokenBucket?, GroupID, TokenBucket?)
        case request(Digest, TokenBucket?)
    }

    /// What was done doesn't count, as it is to be done once more, or can't be. The last comes first.
    mutating func takeBack(_ charge: Charge) {
        switch charge {
        case .upload(let device, let ofDevice, let group, let ofGroup):
            devices.restore(ofDevice, of: device)
            groups.restore(ofGroup, of: group)
        case .request(let device, let former): requests.restore(former, of: device)
        }
    }

    /// In how long to ask again for so much work: 1 second to 60.
    func askAgain(_ work: Int, _ device: Digest, at now: SteadyInstant) -> Duration {
        UploadRates.told(requests.wait(for: work, of: device, at: now))
    }

    /// In how long to try again with so many events: 1 second to 60.
    func retry(_ count: Int, _ device: Digest, in group: GroupID, at now: SteadyInstant) -> Duration {
        let wait = max(
            devices.wait(for: count, of: device, at: now), groups.wait(for: count, of: group, at: now))
        return UploadRates.told(wait)
    }

    /// What is said of a wait, in whole milliseconds, so that it isn't too short.
    private static func told(_ wait: Duration) -> Duration {
        min(max(.milliseconds(wait.inMilliseconds + 1), .seconds(1)), .seconds(60))
    }

    /// Forgets who hasn't written for a while.
    mutating func forgetRested(at now: SteadyInstant) {
        devices.forgetFull(at: now)
        groups.forgetFull(at: now)
        requests.forgetFull(at: now)
    }
}
