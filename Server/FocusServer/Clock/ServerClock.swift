import FocusSync
import Glibc
import Synchronization

/// The server's clocks, for all of its threads.
final class ServerClock: Sendable {
    private let guarding: Mutex<ClockGuard>

    /// - Parameter greatestServed: in milliseconds since the Unix epoch.
    init(greatestServed: Int64) {
        let (microseconds, overflow) = greatestServed.multipliedReportingOverflow(by: 1000)
        guarding = Mutex(ClockGuard(greatestServed: overflow ? .max : microseconds))
    }

    /// Both clocks, now.
    func read() -> ServerTime {
        let steady = ServerClock.microseconds(CLOCK_BOOTTIME)
        let wall = ServerClock.microseconds(CLOCK_REALTIME)
        return ServerTime(
            steady: steady, shared: guarding.withLock { $0.shared(wall: wall, steady: steady) })
    }

    /// The greatest time served so far, in milliseconds since the Unix epoch.
    var greatestServed: Int64 { guarding.withLock { $0.greatestServed / 1000 } }

    /// The wall clock, sure or not, in milliseconds since the Unix epoch.
    static func wall() -> Int64 { microseconds(CLOCK_REALTIME) / 1000 }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
