package import FocusCore

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
    /// Starts a measurement. The result returns the duration of the work done since.
    func stopwatch() -> () -> Duration
}

extension Scheduler {
    /// Measures by `now()`. In virtual time, which stands still meanwhile, the duration is zero.
    package func stopwatch() -> () -> Duration {
        let began = now()
        return { self.now() - began }
    }
}

/// A call that is scheduled.
package protocol Alarm: AnyObject {
    /// Cancels the call. Has no effect if the call has happened, or was cancelled before.
    func cancel()
}
