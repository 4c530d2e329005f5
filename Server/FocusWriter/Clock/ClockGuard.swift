/// Decides whether the server is sure of its clock (docs/protocol.md, "Time"): a clock that went
/// back, or jumped, must not be passed on to laptops as shared time.
///
/// All instants are microseconds.
package struct ClockGuard: Hashable, Sendable {
    /// The most that the clock may be behind the greatest time served, or move against the steady clock from one
    /// look to the next.
    static let tolerance: Int64 = 120_000_000

    /// The greatest time that was served as shared time, since the Unix epoch.
    private(set) var greatestServed: Int64
    /// The wall clock less the steady clock, when the clock was last sure.
    private var offset: Int64?

    /// - Parameter greatestServed: the greatest time that was served before, as the store has it.
    package init(greatestServed: Int64) { self.greatestServed = greatestServed }

    /// Looks at the clock.
    ///
    /// - Parameters:
    ///   - wall: the wall clock, since the Unix epoch.
    ///   - steady: a clock that never jumps and counts sleep.
    package mutating func look(wall: Int64, steady: Int64) -> ClockVerdict {
        let (lag, overflow) = greatestServed.subtractingReportingOverflow(wall)
        guard !overflow, wall >= 0, lag <= ClockGuard.tolerance else {
            return .behind(by: overflow ? .max : lag)
        }
        let (now, isFar) = wall.subtractingReportingOverflow(steady)
        guard !isFar else { return .jumped(by: .max) }
        if let offset {
            let (jump, overflow) = now.subtractingReportingOverflow(offset)
            guard !overflow, jump.magnitude <= ClockGuard.tolerance.magnitude else {
                return .jumped(by: overflow ? .max : jump)
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
    mutating func time(wall: Int64, steady: Int64) -> Int64 {
        if let shared = look(wall: wall, steady: steady).shared { return shared }
        guard let offset else { return greatestServed }
        let (time, overflow) = offset.addingReportingOverflow(steady)
        return overflow ? greatestServed : max(0, time)
    }

    /// Takes the wall clock for right as it is, whatever was served before.
    ///
    /// - Parameter wall: as in `look`.
    mutating func accept(wall: Int64) {
        greatestServed = max(0, wall)
        offset = nil
    }
}
