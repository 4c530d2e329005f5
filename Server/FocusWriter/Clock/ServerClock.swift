package import FocusCore
package import FocusSync
import Synchronization
import SystemKit

/// The server's clocks, for all of its threads.
package final class ServerClock: Sendable {
    private let guarding: Mutex<ClockGuard>
    private let wallNow: @Sendable () -> SharedReading
    private let steadyNow: @Sendable () -> SteadyInstant

    /// - Parameters:
    ///   - greatestServed: the greatest time that was served before.
    ///   - wall: the machine's clock.
    ///   - steady: a clock that never jumps and counts sleep.
    package init(
        greatestServed: SharedInstant,
        wall: @escaping @Sendable () -> SharedReading = {
            SharedReading(microseconds: SystemClock.microsecondsSinceEpoch())
        },
        steady: @escaping @Sendable () -> SteadyInstant = {
            SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
        }
    ) {
        guarding = Mutex(ClockGuard(greatestServed: greatestServed))
        wallNow = wall
        steadyNow = steady
    }

    /// Both clocks, now.
    package func read() -> ServerTime {
        let steady = steadyNow()
        return ServerTime(steady: steady, shared: check(at: steady).shared)
    }

    /// Whether the clock is sure now, and if not, why.
    package func check() -> ClockVerdict { check(at: steadyNow()) }

    private func check(at steady: SteadyInstant) -> ClockVerdict {
        let wall = wallNow()
        return guarding.withLock { $0.check(wall: wall, steady: steady) }
    }

    /// Takes this machine's clock for right as it is, whatever was served before.
    package func accept() {
        let wall = wallNow()
        guarding.withLock { $0.accept(wall: wall) }
    }

    /// The time as well as the server knows it, to the millisecond: the clock's where it is sure.
    package func time() -> SharedInstant {
        let (steady, wall) = (steadyNow(), wallNow())
        return guarding.withLock { $0.time(wall: wall, steady: steady) }.instant
    }

    /// A clock that never jumps and counts sleep.
    package func steady() -> SteadyInstant { steadyNow() }

    /// The greatest time served so far, to the millisecond.
    package var greatestServed: SharedInstant { guarding.withLock { $0.greatestServed.instant } }

    /// The wall clock, sure or not, to the millisecond.
    package func wall() -> SharedInstant { wallNow().instant }

    /// This machine's wall clock, to the millisecond.
    package static func wall() -> SharedInstant {
        SharedInstant(milliseconds: SystemClock.wall())
    }
}
