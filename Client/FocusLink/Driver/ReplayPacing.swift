import FocusCore

/// When merged events are replayed.
///
/// A press that arrives shows at once. Where many events arrive, each replay may go far back and take long, so it
/// is done once the device has caught up, and after that in a tenth of the time at most.
struct ReplayPacing {
    /// Whether events were merged that replay hasn't seen.
    private var isNeeded = false
    private(set) var hasCaughtUp = false
    /// Before this instant replay isn't done again.
    private var rest = SteadyInstant.zero

    /// A replay that takes longer than this is followed by a rest.
    static let short = Duration.milliseconds(5)

    /// Events were merged that replay hasn't seen.
    mutating func merged() { isNeeded = true }

    /// All has come that the server had at the beginning.
    mutating func catchUpEnded() { hasCaughtUp = true }

    /// Whether what is merged now may be replayed at once.
    func mayReplay(at now: SteadyInstant) -> Bool { hasCaughtUp && now >= rest }

    /// Whether to replay now.
    func isDue(at now: SteadyInstant) -> Bool { isNeeded && mayReplay(at: now) }

    /// When to replay, at the earliest; nil where there is nothing to replay, or catching up will end with it.
    var deadline: SteadyInstant? { isNeeded && hasCaughtUp ? rest : nil }

    /// Everything has been replayed, which took so long.
    mutating func replayed(at now: SteadyInstant, taking duration: Duration) {
        isNeeded = false
        if duration > ReplayPacing.short { rest = now + duration * 10 }
    }
}
