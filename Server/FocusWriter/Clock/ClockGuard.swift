package import FocusCore

/// Decides whether the server is sure of its clock (docs/protocol.md, "Time"): a clock that went
/// back, or jumped, must not be passed on to laptops as shared time.
///
/// Instants of the wall clock, and of shared time, are microseconds since the Unix epoch.
package struct ClockGuard: Hashable, Sendable {
    /// The most that the clock may be behind the greatest time served, or move against the steady clock from one
    /// look to the next.
    static let tolerance = Duration.seconds(120)

    /// The greatest time that was served as shared time, since the Unix epoch.
    private(set) var greatestServed: Int64
    /// The wall clock less the steady clock, when the clock was last sure.
    private var offset: Duration?

    /// - Parameter greatestServed: the greatest time that was served before, as the store has it.
    package init(greatestServed: Int64) { self.greatestServed = greatestServed }

    /// Looks at the clock.
    ///
    /// - Parameters:
    ///   - wall: the wall clock, since the Unix epoch.
    ///   - steady: a clock that never jumps and counts sleep.
    package mutating func look(wall: Int64, steady: SteadyInstant) -> ClockVerdict {
        let lag = Duration.microseconds(greatestServed) - .microseconds(wall)
        guard wall >= 0, lag <= ClockGuard.tolerance else { return .behind(by: lag) }
        let now = Duration.microseconds(wall) - .microseconds(steady.microseconds)
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
    /// The parameters are those of `look`.
    mutating func time(wall: Int64, steady: SteadyInstant) -> Int64 {
        if let shared = look(wall: wall, steady: steady).shared { return shared }
        guard let offset else { return greatestServed }
        return max(0, (steady + offset).microseconds)
    }

    /// Takes the wall clock for right as it is, whatever was served before.
    ///
    /// - Parameter wall: as in `look`.
    mutating func accept(wall: Int64) {
        greatestServed = max(0, wall)
        offset = nil
    }
}
