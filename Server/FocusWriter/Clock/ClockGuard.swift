package import FocusCore

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

    /// The time as well as it is known: the wall clock's where that is sure, else what it would be had it gone on as
    /// it did, or the greatest time served where it was never sure.
    ///
    /// The parameters are those of `check`.
    mutating func time(wall: SharedReading, steady: SteadyInstant) -> SharedReading {
        if let shared = check(wall: wall, steady: steady).shared { return shared }
        guard let offset else { return greatestServed }
        return max(.zero, steady.shared(offset))
    }

    /// Takes the wall clock for right as it is, whatever was served before.
    ///
    /// - Parameter wall: as in `check`.
    mutating func accept(wall: SharedReading) {
        greatestServed = max(.zero, wall)
        offset = nil
    }
}
