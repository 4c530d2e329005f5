import FocusCore
import TestSupport
import Testing

extension LogScript {
    /// Creates a log that begins with a setting, at 0.
    init(set key: String, _ value: Int64, by replica: ReplicaID = .a) {
        self.init()
        set(key, value, 0, by: replica)
    }

    /// Returns the state that the log shows at `now`.
    func state(at now: SharedInstant) throws -> NaiveState { try stateOf(events, at: now) }
}

/// Returns production's state of `events` at `now`. Expects the oracle to agree.
func stateOf(_ events: [Event], at now: SharedInstant) throws -> NaiveState {
    var timeline = Timeline()
    try timeline.merge(events)
    let state = NaiveState(timeline, at: now)
    #expect(state == NaiveTimer.state(of: events, at: now))
    return state
}

/// Whether `events` are a log, according to production. Expects the oracle to agree.
func isLog(_ events: [Event]) -> Bool {
    let isLog = (try? EventLog(events)) != nil
    #expect(isLog == (NaiveTimer.log(of: events) != nil))
    return isLog
}
