/// When merged events are replayed.
///
/// A press that arrives shows at once. Where many events arrive, each replay may go far back and take long, so it
/// is done once the device has caught up, and after that in a tenth of the time at most.
struct Settling {
    /// Whether events were merged that replay hasn't seen.
    private var isNeeded = false
    private(set) var hasCaughtUp = false
    /// Before this replay isn't done again.
    private var rest = ContinuousClock.now

    mutating func merged() { isNeeded = true }

    mutating func catchUpEnded() { hasCaughtUp = true }

    /// Whether to replay now.
    var isDue: Bool { isNeeded && hasCaughtUp && ContinuousClock.now >= rest }

    /// How long to wait before replaying; nil where there is nothing to replay, or catching up will end with it.
    var delay: Duration? { isNeeded && hasCaughtUp ? max(.zero, rest - ContinuousClock.now) : nil }

    /// Replays, and notes what it took.
    mutating func measure<Result>(_ replay: () throws -> Result) rethrows -> Result {
        isNeeded = false
        let began = ContinuousClock.now
        let result = try replay()
        let ended = ContinuousClock.now
        if ended - began > .milliseconds(5) { rest = ended + (ended - began) * 10 }
        return result
    }
}
