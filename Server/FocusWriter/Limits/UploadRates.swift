import FocusCore
import FocusSync

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
    mutating func wrote(_ count: Int, work: Int, _ device: Digest, in group: GroupID, at now: SteadyInstant) {
        devices.take(max(1, count, work), of: device, at: now)
        groups.take(count, of: group, at: now)
    }

    /// Whether a device may ask for something now.
    func mayAsk(_ device: Digest, at now: SteadyInstant) -> Bool { requests.count(of: device, at: now) > 0 }

    /// What a device asked for made so much work (`Work`).
    mutating func asked(_ work: Int, _ device: Digest, at now: SteadyInstant) {
        requests.take(max(1, work), of: device, at: now)
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
