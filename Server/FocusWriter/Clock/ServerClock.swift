package import FocusCore
package import FocusSync
import Synchronization
import SystemKit

/// The server's clocks, for all of its threads.
package final class ServerClock: Sendable {
    private let guarding: Mutex<ClockGuard>
    private let wallNow: @Sendable () -> SharedInstant
    private let steadyNow: @Sendable () -> SteadyInstant

    /// - Parameters:
    ///   - greatestServed: in milliseconds since the Unix epoch.
    ///   - wall: the machine's clock.
    ///   - steady: a clock that never jumps and counts sleep.
    package init(
        greatestServed: Int64,
        wall: @escaping @Sendable () -> SharedInstant = {
            SharedInstant(microseconds: SystemClock.microsecondsSinceEpoch())
        },
        steady: @escaping @Sendable () -> SteadyInstant = {
            SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
        }
    ) {
        guarding = Mutex(ClockGuard(greatestServed: SharedInstant(milliseconds: greatestServed)))
        wallNow = wall
        steadyNow = steady
    }

    /// Both clocks, now.
    package func read() -> ServerTime {
        let steady = steadyNow()
        return ServerTime(steady: steady, shared: look(at: steady).shared)
    }

    /// Whether the clock is sure now, and if not, why.
    package func look() -> ClockVerdict { look(at: steadyNow()) }

    private func look(at steady: SteadyInstant) -> ClockVerdict {
        let wall = wallNow()
        return guarding.withLock { $0.look(wall: wall, steady: steady) }
    }

    /// Takes this machine's clock for right as it is, whatever was served before.
    package func accept() {
        let wall = wallNow()
        guarding.withLock { $0.accept(wall: wall) }
    }

    /// The time as well as the server knows it: the clock's where it is sure, in milliseconds since the Unix epoch.
    package func time() -> Int64 {
        let (steady, wall) = (steadyNow(), wallNow())
        return guarding.withLock { $0.time(wall: wall, steady: steady) }.milliseconds
    }

    /// A clock that never jumps and counts sleep.
    package func steady() -> SteadyInstant { steadyNow() }

    /// The greatest time served so far, in milliseconds since the Unix epoch.
    package var greatestServed: Int64 { guarding.withLock { $0.greatestServed.milliseconds } }

    /// The wall clock, sure or not, in milliseconds since the Unix epoch.
    package func wall() -> Int64 { wallNow().milliseconds }

    /// This machine's wall clock, in milliseconds since the Unix epoch.
    package static func wall() -> Int64 { SystemClock.wall() }
}
