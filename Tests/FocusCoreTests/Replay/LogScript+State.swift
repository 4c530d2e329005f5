import FocusCore
import TestSupport
import Testing

extension LogScript {
    /// What the log shows at `now`.
    func state(at now: Int64) throws -> NaiveState {
        try #require(NaiveTimer.state(of: events, at: now))
    }
}
