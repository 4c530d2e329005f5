package import FocusCore
package import FocusSync
package import Glibc
import Synchronization

/// The server's clocks, for all of its threads.
package final class ServerClock: Sendable {
    private let guarding: Mutex<ClockGuard>
    private let wallMicroseconds: @Sendable () -> Int64
    private let steadyNow: @Sendable () -> SteadyInstant

    /// - Parameters:
    ///   - greatestServed: in milliseconds since the Unix epoch.
    ///   - wall: the machine's clock, in microseconds since the Unix epoch.
    ///   - steady: a clock that never jumps and counts sleep.
    package init(
        greatestServed: Int64,
        wall: @escaping @Sendable () -> Int64 = { ServerClock.microseconds(CLOCK_REALTIME) },
        steady: @escaping @Sendable () -> SteadyInstant = {
            SteadyInstant(microseconds: ServerClock.microseconds(CLOCK_BOOTTIME))
        }
    ) {
        let (microseconds, overflow) = greatestServed.multipliedReportingOverflow(by: 1000)
        guarding = Mutex(ClockGuard(greatestServed: overflow ? .max : microseconds))
        wallMicroseconds = wall
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
        let wall = wallMicroseconds()
        return guarding.withLock { $0.look(wall: wall, steady: steady) }
    }

    /// Takes this machine's clock for right as it is, whatever was served before.
    package func accept() {
        let wall = wallMicroseconds()
        guarding.withLock { $0.accept(wall: wall) }
    }

    /// The time as well as the server knows it: the clock's where it is sure, in milliseconds since the Unix epoch.
    package func time() -> Int64 {
        let (steady, wall) = (steadyNow(), wallMicroseconds())
        return guarding.withLock { $0.time(wall: wall, steady: steady) } / 1000
    }

    /// A clock that never jumps and counts sleep.
    package func steady() -> SteadyInstant { steadyNow() }

    /// The greatest time served so far, in milliseconds since the Unix epoch.
    package var greatestServed: Int64 { guarding.withLock { $0.greatestServed / 1000 } }

    /// The wall clock, sure or not, in milliseconds since the Unix epoch.
    package func wall() -> Int64 { wallMicroseconds() / 1000 }

    /// This machine's wall clock, in milliseconds since the Unix epoch.
    package static func wall() -> Int64 { microseconds(CLOCK_REALTIME) / 1000 }

    /// One of the machine's clocks, in microseconds.
    package static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
