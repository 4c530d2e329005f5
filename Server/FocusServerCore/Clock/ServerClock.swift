package import FocusCore
package import FocusSync
import Synchronization
import SystemKit

/// The server's clocks. All threads may use them.
package final class ServerClock: Sendable {
    private let guarding: Mutex<ClockGuard>
    private let wallNow: @Sendable () -> SharedReading
    private let steadyNow: @Sendable () -> SteadyInstant

    /// Creates the clocks.
    ///
    /// - Parameters:
    ///   - greatestServed: The greatest time served before.
    ///   - wall: The machine's wall clock.
    ///   - steady: A clock that never jumps and counts sleep.
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

    /// Returns the present time of both clocks.
    package func read() -> ServerTime {
        let steady = steadyNow()
        return ServerTime(steady: steady, shared: check(at: steady).shared)
    }

    /// Returns whether the clock is sure now, and if not, why.
    package func check() -> ClockVerdict { check(at: steadyNow()) }

    private func check(at steady: SteadyInstant) -> ClockVerdict {
        let wall = wallNow()
        return guarding.withLock { $0.check(wall: wall, steady: steady) }
    }

    /// Accepts this machine's clock as right, regardless of the time served before.
    package func accept() {
        let wall = wallNow()
        guarding.withLock { $0.accept(wall: wall) }
    }

    /// Returns the best estimate of the time, to the millisecond: the wall clock's time if that is sure.
    package func time() -> SharedInstant {
        let (steady, wall) = (steadyNow(), wallNow())
        return guarding.withLock { $0.time(wall: wall, steady: steady) }.instant
    }

    /// Returns the time of a clock that never jumps and counts sleep.
    package func steady() -> SteadyInstant { steadyNow() }

    /// The greatest time served, to the millisecond.
    package var greatestServed: SharedInstant { guarding.withLock { $0.greatestServed.instant } }

    /// Returns the time of the wall clock, sure or not, to the millisecond.
    package func wall() -> SharedInstant { wallNow().instant }

    /// Returns the time of this machine's clock that never jumps and counts sleep.
    package static func steady() -> SteadyInstant {
        SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
    }

    /// Returns the time of this machine's wall clock, to the millisecond.
    package static func wall() -> SharedInstant {
        SharedInstant(milliseconds: SystemClock.wall())
    }
}

/// Decides whether the server is sure of its clock (docs/protocol.md, "Time"). The time of a clock that went
/// back, or jumped, must not reach laptops as shared time.
package struct ClockGuard: Hashable, Sendable {
    /// The greatest lag behind the greatest time served, and the greatest change against the steady clock
    /// between two checks.
    static let tolerance = Duration.seconds(120)

    /// The greatest time that was served as shared time.
    private(set) var greatestServed: SharedReading
    /// The wall clock less the steady clock, when the clock was last sure; nil if it was never sure.
    private var offset: Duration?
    /// The greatest time served less the steady clock, at the first call of `time` before the clock was ever
    /// sure; nil if there was no such call.
    private var start: Duration?

    /// Creates a guard that hasn't checked the clock yet.
    ///
    /// - Parameter greatestServed: The greatest time served before, from the store.
    package init(greatestServed: SharedInstant) {
        self.greatestServed = SharedReading(greatestServed)
    }

    /// Checks the clock, and records its time as served if it is sure.
    ///
    /// - Parameters:
    ///   - wall: The time of the wall clock.
    ///   - steady: The time of a clock that never jumps and counts sleep.
    package mutating func check(wall: SharedReading, steady: SteadyInstant) -> ClockVerdict {
        let lag = greatestServed - wall
        guard wall >= .zero, lag <= ClockGuard.tolerance else { return .behind(by: lag) }
        let now = wall.offset(from: steady)
        if let offset {
            let jump = now - offset
            guard jump <= ClockGuard.tolerance, jump >= .zero - ClockGuard.tolerance else {
                return .jumped(by: jump)
            }
        }
        offset = now
        greatestServed = max(greatestServed, wall)
        return .sure(wall)
    }

    /// Returns the best estimate of the time: the wall clock's time if that is sure, else its last sure time
    /// plus the steady time since. If it was never sure, time continues from the greatest time served, so
    /// that invites expire.
    ///
    /// - Parameters:
    ///   - wall: As in `check`.
    ///   - steady: As in `check`.
    mutating func time(wall: SharedReading, steady: SteadyInstant) -> SharedReading {
        if let shared = check(wall: wall, steady: steady).shared { return shared }
        let known = offset ?? start ?? greatestServed.offset(from: steady)
        if offset == nil { start = known }
        return max(.zero, steady.shared(known))
    }

    /// Accepts the wall clock as right, regardless of the time served before.
    ///
    /// - Parameter wall: As in `check`.
    mutating func accept(wall: SharedReading) {
        greatestServed = max(.zero, wall)
        (offset, start) = (nil, nil)
    }
}

/// The result of a check of the server's clock.
package enum ClockVerdict: Hashable, Sendable {
    /// The clock is sure, and this is shared time.
    case sure(SharedReading)
    /// The clock is behind the greatest time served by this duration.
    case behind(by: Duration)
    /// The clock has jumped by this duration against the steady clock; negative if it went back.
    case jumped(by: Duration)

    /// Shared time; nil if the clock isn't sure.
    package var shared: SharedReading? {
        if case .sure(let time) = self { time } else { nil }
    }
}
