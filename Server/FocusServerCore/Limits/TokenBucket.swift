package import FocusCore
import FocusSync

/// A rate limiter that allows a number of things per second, and a greater number at once after a rest. Each
/// thing takes a token. The bucket refills at a constant rate.
package struct TokenBucket: Hashable, Sendable {
    /// The rate at which a bucket fills, and its capacity.
    package struct Measure: Hashable, Sendable {
        /// New tokens per second: 1 or more.
        let rate: Int
        /// The capacity in tokens: 1 or more.
        let burst: Int
    }

    /// The tokens at the instant `filled`, in millionths.
    private var level: Int64
    /// The instant for which `level` was computed.
    private var filled: SteadyInstant

    /// One token, in millionths.
    private static let token: Int64 = 1_000_000

    /// Creates a full bucket.
    init(_ measure: Measure, at now: SteadyInstant) {
        level = TokenBucket.top(measure)
        filled = now
    }

    /// The capacity, in millionths of a token.
    private static func top(_ measure: Measure) -> Int64 {
        let (top, overflow) = Int64(measure.burst).multipliedReportingOverflow(by: token)
        return overflow ? .max : top
    }

    /// Returns the number of tokens.
    func count(_ measure: Measure, at now: SteadyInstant) -> Int {
        Int(level(measure, now) / TokenBucket.token)
    }

    /// Removes `count` tokens, or all if there are fewer.
    mutating func take(_ count: Int, _ measure: Measure, at now: SteadyInstant) {
        let (wanted, overflow) = Int64(count).multipliedReportingOverflow(by: TokenBucket.token)
        level = overflow ? 0 : max(0, level(measure, now) - wanted)
        filled = max(filled, now)
    }

    /// Returns the time until there are `count` tokens, or until the bucket is full if its capacity is less.
    func wait(for count: Int, _ measure: Measure, at now: SteadyInstant) -> Duration {
        let top = TokenBucket.top(measure)
        let (wanted, overflow) = Int64(count).multipliedReportingOverflow(by: TokenBucket.token)
        let lacking = max(0, (overflow ? top : min(wanted, top)) - level(measure, now))
        let rate = Int64(measure.rate)
        return .microseconds(lacking / rate + (lacking % rate == 0 ? 0 : 1))
    }

    /// Whether the bucket is full, so that a new one would be the same.
    func isFull(_ measure: Measure, at now: SteadyInstant) -> Bool {
        level(measure, now) == TokenBucket.top(measure)
    }

    /// The tokens at `now`, in millionths.
    private func level(_ measure: Measure, _ now: SteadyInstant) -> Int64 {
        let top = TokenBucket.top(measure)
        let passed = max(0, (now - filled).inMicroseconds)
        let (gain, overflow) = passed.multipliedReportingOverflow(by: Int64(measure.rate))
        let (sum, tooMuch) = level.addingReportingOverflow(gain)
        return overflow || tooMuch ? top : min(top, sum)
    }
}

/// A token bucket for each key. Only buckets that aren't full are kept.
package struct TokenBuckets<Key: Hashable & Sendable>: Hashable, Sendable {
    let measure: TokenBucket.Measure
    /// The greatest number of buckets. Further keys share one bucket.
    private let limit: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// The bucket of the keys beyond `limit`; nil until there is such a key.
    private var shared: TokenBucket?

    /// Creates full buckets for all keys.
    ///
    /// - Parameter limit: The greatest number of buckets to keep.
    package init(_ measure: TokenBucket.Measure, keeping limit: Int = .max) {
        self.measure = measure
        self.limit = limit
    }

    /// The number of buckets, without the shared one.
    var count: Int { buckets.count }

    /// Returns the number of tokens of a key.
    package func count(of key: Key, at now: SteadyInstant) -> Int {
        bucket(of: key, now).count(measure, at: now)
    }

    /// Returns the time until a key has `count` tokens, or until its bucket is full if the capacity is less.
    package func wait(for count: Int, of key: Key, at now: SteadyInstant) -> Duration {
        bucket(of: key, now).wait(for: count, measure, at: now)
    }

    /// Returns a key's bucket. A key without one gets a full bucket, or the shared one if there is no room.
    private func bucket(of key: Key, _ now: SteadyInstant) -> TokenBucket {
        buckets[key] ?? (buckets.count < limit ? nil : shared) ?? TokenBucket(measure, at: now)
    }

    /// Removes `count` tokens of a key, or all if there are fewer.
    ///
    /// - Returns: The former bucket, for `restore`; nil if it was full, or is the shared one.
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

    /// Restores a key's bucket to its former state.
    ///
    /// - Parameter former: The former bucket; nil if it was full.
    mutating func restore(_ former: TokenBucket?, of key: Key) { buckets[key] = former }

    /// Removes full buckets, because new ones would be the same.
    mutating func forgetFull(at now: SteadyInstant) {
        buckets = buckets.filter { !$0.value.isFull(measure, at: now) }
    }
}

/// The rate limiters for the events that devices and groups write. Other requests of a device (rosters,
/// invites, epochs) have a bucket of their own. So a device that has just uploaded a long log can still let
/// another laptop in.
struct UploadRates: Hashable, Sendable {
    /// The devices' buckets for events.
    private var devices: TokenBuckets<Digest>
    /// The groups' buckets for events.
    private var groups: TokenBuckets<GroupID>
    /// The devices' buckets for other requests.
    private var requests: TokenBuckets<Digest>

    init(_ limits: ServerLimits) {
        devices = TokenBuckets(limits.deviceRate)
        groups = TokenBuckets(limits.groupRate)
        requests = TokenBuckets(limits.requestRate)
    }

    /// Returns the numbers of events that a device may write now by its own limit, and by its group's limit.
    /// If the device may write none, its upload is refused without further work.
    func room(for device: Digest, in group: GroupID, at now: SteadyInstant) -> (device: Int, group: Int) {
        (devices.count(of: device, at: now), groups.count(of: group, at: now))
    }

    /// Charges an upload. The device pays at least one token, even if no event was new.
    ///
    /// - Parameters:
    ///   - count: The number of new events.
    ///   - work: The work of the upload (`Work`).
    /// - Returns: The charge, for `takeBack`.
    mutating func chargeUpload(
        _ count: Int, work: Int, _ device: Digest, in group: GroupID, at now: SteadyInstant
    ) -> Charge {
        let former = devices.take(max(1, count, work), of: device, at: now)
        return .upload(device, former, group, groups.take(count, of: group, at: now))
    }

    /// Whether a device may make a request besides uploads now.
    func mayAsk(_ device: Digest, at now: SteadyInstant) -> Bool { requests.count(of: device, at: now) > 0 }

    /// Charges a request of a device besides uploads.
    ///
    /// - Parameter work: The work of the request (`Work`).
    /// - Returns: The charge, for `takeBack`.
    mutating func chargeRequest(_ work: Int, _ device: Digest, at now: SteadyInstant) -> Charge {
        .request(device, requests.take(max(1, work), of: device, at: now))
    }

    /// The buckets before tokens were removed for a request.
    enum Charge {
        case upload(Digest, TokenBucket?, GroupID, TokenBucket?)
        case request(Digest, TokenBucket?)
    }

    /// Takes a charge back, because the request failed or will be done again. Charges are taken back in
    /// reverse order.
    mutating func takeBack(_ charge: Charge) {
        switch charge {
        case .upload(let device, let ofDevice, let group, let ofGroup):
            devices.restore(ofDevice, of: device)
            groups.restore(ofGroup, of: group)
        case .request(let device, let former): requests.restore(former, of: device)
        }
    }

    /// Returns the time after which a device should repeat a refused request: 1 to 60 seconds.
    ///
    /// - Parameter work: The work of the request (`Work`).
    func requestDelay(_ work: Int, _ device: Digest, at now: SteadyInstant) -> Duration {
        UploadRates.clamped(requests.wait(for: work, of: device, at: now))
    }

    /// Returns the time after which a device should repeat a refused upload of `count` events: 1 to 60
    /// seconds.
    func uploadDelay(_ count: Int, _ device: Digest, in group: GroupID, at now: SteadyInstant) -> Duration {
        let wait = max(
            devices.wait(for: count, of: device, at: now), groups.wait(for: count, of: group, at: now))
        return UploadRates.clamped(wait)
    }

    /// Limits a wait to 1 to 60 seconds, and rounds it up to whole milliseconds so that it isn't too short.
    private static func clamped(_ wait: Duration) -> Duration {
        min(max(.milliseconds(wait.inMilliseconds + 1), .seconds(1)), .seconds(60))
    }

    /// Removes full buckets: those of devices and groups that haven't written for a while.
    mutating func forgetFull(at now: SteadyInstant) {
        devices.forgetFull(at: now)
        groups.forgetFull(at: now)
        requests.forgetFull(at: now)
    }
}
