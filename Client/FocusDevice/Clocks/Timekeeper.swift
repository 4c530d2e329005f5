package import FocusCore

/// The time as whoever waits for it knows it, and who wakes them: so that they run in virtual time too.
package protocol Timekeeper: AnyObject {
    /// The present instant.
    func now() -> SteadyInstant
    /// Calls `body` once `delay` has passed, unless the alarm is cancelled; never before this returns.
    @discardableResult
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm
    /// Does some work, and tells how long it took.
    func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, duration: Duration)
}

extension Timekeeper {
    /// By `now`, before and after: in virtual time, where that stands still meanwhile, no time passes.
    package func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, duration: Duration)
    {
        let began = now()
        let result = try work()
        return (result, now() - began)
    }
}

/// Something that is going to be called.
package protocol Alarm: AnyObject {
    /// It is not called any more. May be said twice, and afterwards.
    func cancel()
}
