import FocusCore
import TestSupport
import Testing

/// What these events show at `now`.
func stateOf(_ events: [Event], at now: Int64) throws -> NaiveState {
    try #require(NaiveTimer.state(of: events, at: now))
}

/// Whether these events are a log.
func isLog(_ events: [Event]) -> Bool {
    NaiveTimer.log(of: events) != nil
}
