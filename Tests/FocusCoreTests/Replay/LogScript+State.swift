import FocusCore
import TestSupport
import Testing

extension LogScript {
    /// What the log shows at `now`.
    func state(at now: SharedInstant) throws -> NaiveState { try stateOf(events, at: now) }
}

/// What production makes of these events at `now`; the oracle must agree.
func stateOf(_ events: [Event], at now: SharedInstant) throws -> NaiveState {
    var timeline = Timeline()
    try timeline.merge(events)
    let state = NaiveState(timeline, at: now)
    #expect(state == NaiveTimer.state(of: events, at: now))
    return state
}

/// Whether these events are a log, as production says; the oracle must agree.
func isLog(_ events: [Event]) -> Bool {
    let isLog = (try? EventLog(events)) != nil
    #expect(isLog == (NaiveTimer.log(of: events) != nil))
    return isLog
}
