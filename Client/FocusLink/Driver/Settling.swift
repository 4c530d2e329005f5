/// When merged events are replayed.
///
/// A press that arrives shows at once. Where many events arrive, each replay may go far back and take long, so it
/// is done once the device has caught up, and after that in a tenth of the time at most.
struct Settling {
    /// Whether events were merged that replay hasn't seen.
    private var isNeeded = false
    private(set) var hasCaughtUp = false
    /// Before this instant replay isn't done again, in microseconds.
    private var rest = Int64.min

    mutating func merged() { isNeeded = true }

    mutating func catchUpEnded() { hasCaughtUp = true }

    /// Whether what is merged now may be replayed at once.
    func mayReplay(at now: Int64) -> Bool { hasCaughtUp && now >= rest }

    /// Whether to replay now.
    func isDue(at now: Int64) -> Bool { isNeeded && mayReplay(at: now) }

    /// How long to wait before replaying, in microseconds; nil where there is nothing to replay, or catching up
    /// will end with it.
    func delay(at now: Int64) -> Int64? {
        guard isNeeded && hasCaughtUp else { return nil }
        return now >= rest ? 0 : rest - now
    }

    /// Everything has been replayed, in so many microseconds.
    mutating func replayed(at now: Int64, taking duration: Int64) {
        isNeeded = false
        if duration > 5_000 { rest = now + duration * 10 }
    }
}
