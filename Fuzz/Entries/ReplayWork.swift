import FocusCore

/// How much work a log is to replay. A run that nobody touches goes through its phases until the idle limit, and
/// one that is begun with an `at` far back through all since (docs/timer-rules.md §3): a few bytes can ask for
/// minutes of work, and that isn't what the fuzzers look for.
enum ReplayWork {
    /// Inputs that may take more steps than this are passed over.
    static let limit: Int64 = 1_000_000

    /// An instant that states are shown at.
    static let now = SharedInstant(milliseconds: 1_763_661_600_000)

    /// How many phases replay may go through, at most, where the events arrive one by one and each makes it begin
    /// anew: each of them may look at a run from its beginning.
    static func ofReplaying(_ events: [Event]) -> Int64 {
        var shortest: Int64 = 300
        var idleLimit: Int64 = 43_200
        var back = Duration.zero
        for event in events {
            switch event.action {
            case .set(let key, let value) where value > 0:
                if key.hasSuffix("Length") { shortest = min(shortest, value) }
                if key == SettingKey.idleLimit.rawValue { idleLimit = 86_400 }
            case .start(let start): back = max(back, event.time - max(.zero, start.at ?? event.time))
            default: break
            }
        }
        let looks = Int64(events.count + 1)
        return (back.inSeconds + idleLimit) / shortest * looks * looks
    }

    /// How many phases the current run may go through until `now`, at most.
    static func ofShowing(_ state: ReplayState) -> Int64 {
        guard case .running(_, let endsAt)? = state.current?.clock else { return 0 }
        let settings = state.settings
        let shortest = min(settings[.workLength], settings[.shortBreakLength], settings[.longBreakLength])
        return (max(now, state.latestEffect) - endsAt).inSeconds / shortest
    }
}
