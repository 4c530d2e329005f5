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

    /// This machine's clock that never jumps and counts sleep.
    package static func steady() -> SteadyInstant {
        SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
    }

    /// This machine's wall clock, to the millisecond.
    package static func wall() -> SharedInstant {
        SharedInstant(milliseconds: SystemClock.wall())
    }
}

/// Decides whether the server is sure of its clock (docs/protocol.md, "Time"): a clock that went
/// back, or jumped, must not be passed on to laptops as shared time.
package struct ClockGuard: Hashable, Sendable {
    /// The most that the clock may be behind the greatest time served, or move against the steady clock from one
    /// look to the next.
    static let tolerance = Duration.seconds(120)

    /// The greatest time that was served as shared time.
    private(set) var greatestServed: SharedReading
    /// The wall clock less the steady clock, when the clock was last sure.
    private var offset: Duration?
    /// The greatest time served less the steady clock, when the time was first asked for; nil if that was sure.
    private var start: Duration?

    /// - Parameter greatestServed: the greatest time that was served before, as the store has it.
    package init(greatestServed: SharedInstant) {
        self.greatestServed = SharedReading(greatestServed)
    }

    /// Looks at the clock.
    ///
    /// - Parameters:
    ///   - wall: the wall clock.
    ///   - steady: a clock that never jumps and counts sleep.
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

    /// The time as well as it is known: the wall clock's if that is sure, else what it would be had it gone on as it did.
    /// If it was never sure, time goes on from the greatest time served, so that invites end.
    ///
    /// The parameters are those of `check`.
    mutating func time(wall: SharedReading, steady: SteadyInstant) -> SharedReading {
        if let shared = check(wall: wall, steady: steady).shared { return shared }
        let known = offset ?? start ?? greatestServed.offset(from: steady)
        if offset == nil { start = known }
        return max(.zero, steady.shared(known))
    }

    /// Takes the wall clock for right as it is, whatever was served before.
    ///
    /// - Parameter wall: as in `check`.
    mutating func accept(wall: SharedReading) {
        greatestServed = max(.zero, wall)
        (offset, start) = (nil, nil)
    }
}

/// What the guard of the server's clock finds.
package enum ClockVerdict: Hashable, Sendable {
    /// Shared time is this.
    case sure(SharedReading)
    /// The clock is so far behind the greatest time served.
    case behind(by: Duration)
    /// The clock has jumped by so much against the steady clock; negative where it went back.
    case jumped(by: Duration)

    /// Shared time; nil where it isn't sure.
    package var shared: SharedReading? {
        if case .sure(let time) = self { time } else { nil }
    }
}
