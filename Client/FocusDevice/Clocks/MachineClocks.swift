package import FocusCore
import SystemKit

/// The clocks of the machine. Only the code that does I/O reads them.
package struct MachineClocks: Sendable {
    /// The wall clock: shared time as the machine believes it.
    package let wall: @Sendable () -> SharedInstant
    /// The time since the machine started, including suspensions. It never goes back.
    package let sinceBoot: @Sendable () -> SteadyInstant
    /// The time since the machine started, without suspensions.
    package let awake: @Sendable () -> SteadyInstant
    /// An identifier of the present boot, or nil if the system has none.
    package let boot: @Sendable () -> String?

    /// Clocks that read the time by these functions.
    ///
    /// - Parameters:
    ///   - wall: The wall clock: shared time as the machine believes it.
    ///   - sinceBoot: The time since the machine started, including suspensions.
    ///   - awake: The time since the machine started, without suspensions.
    ///   - boot: An identifier of the present boot, or nil if the system has none.
    package init(
        wall: @escaping @Sendable () -> SharedInstant, sinceBoot: @escaping @Sendable () -> SteadyInstant,
        awake: @escaping @Sendable () -> SteadyInstant, boot: @escaping @Sendable () -> String?
    ) {
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.awake = awake
        self.boot = boot
    }

    /// The clocks of this machine.
    package static let process = MachineClocks(
        wall: { SharedInstant(milliseconds: SystemClock.wall()) }, sinceBoot: { .now },
        awake: { SteadyInstant(microseconds: SystemClock.microsecondsAwake()) }, boot: { SystemClock.boot })
}

extension SteadyInstant {
    /// The present instant on this machine.
    package static var now: SteadyInstant {
        SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
    }
}

/// A clock with alarms, for code that has to wait. An event loop provides it, and so can a test's virtual
/// time.
package protocol Scheduler: AnyObject {
    /// Returns the present instant.
    func now() -> SteadyInstant
    /// Calls `body` after `delay`, unless the alarm is cancelled. Never calls it before this function
    /// returns.
    @discardableResult
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm
    /// Runs `work`, and returns how long it took.
    func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, duration: Duration)
}

extension Scheduler {
    /// Measures by `now()`, before and after `work`. In virtual time, which stands still meanwhile, the
    /// duration is zero.
    package func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, duration: Duration)
    {
        let began = now()
        let result = try work()
        return (result, now() - began)
    }
}

/// A call that is scheduled.
package protocol Alarm: AnyObject {
    /// Cancels the call. Has no effect if the call has happened, or was cancelled before.
    func cancel()
}
