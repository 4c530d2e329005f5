package import FocusCore
import SystemKit

/// The clocks of the machine, which only the shells read.
package struct MachineClocks: Sendable {
    /// Shared time as the machine believes.
    package let wall: @Sendable () -> SharedInstant
    /// The time since the machine started, time asleep included; never goes back.
    package let sinceBoot: @Sendable () -> SteadyInstant
    /// As `sinceBoot`, but stands still while the machine sleeps.
    package let awake: @Sendable () -> SteadyInstant
    /// Names the time since the machine last started; nil where the system doesn't say.
    package let boot: @Sendable () -> String?

    /// Clocks that are read by these.
    ///
    /// - Parameters:
    ///   - wall: shared time as the machine believes.
    ///   - sinceBoot: the time since the machine started, time asleep included.
    ///   - awake: as `sinceBoot`, less time asleep.
    ///   - boot: names the time since the machine last started; nil where the system doesn't say.
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
        wall: { SharedInstant(milliseconds: SystemClock.wall()) }, sinceBoot: { .process },
        awake: { SteadyInstant(microseconds: SystemClock.microsecondsAwake()) }, boot: { SystemClock.boot })
}

extension SteadyInstant {
    /// The present instant on this machine.
    package static var process: SteadyInstant {
        SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
    }
}

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
