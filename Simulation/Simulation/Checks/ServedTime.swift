import FocusCore

/// The time that a server goes by if its own clock was never set wrong (docs/protocol.md, "Time"). Other
/// servers that share its store may have served a later time.
struct ServedTime {
    /// The greatest time served before this server began.
    private let greatest: SharedInstant
    /// The number of times that operators had accepted a clock before this server began.
    private let acceptances: Int64
    /// The start of the server, on its steady clock.
    private let began: SteadyInstant

    /// The greatest time that a clock may be behind the greatest time served.
    private static let tolerance = Duration.seconds(120)

    init(after greatest: SharedInstant, acceptances: Int64, at began: SteadyInstant) {
        (self.greatest, self.acceptances, self.began) = (greatest, acceptances, began)
    }

    /// Returns the time now. It is the clock's if the server is sure of its clock, otherwise a continuation
    /// of the greatest time served.
    ///
    /// - Parameter acceptances: The number of times that operators have accepted a clock by now; nil if it
    ///   can't be read.
    /// - Returns: The time; nil if the server may or may not have heard yet that its clock was accepted.
    func now(wall: SharedInstant, steady: SteadyInstant, acceptances: @autoclosure () -> Int64?)
        -> SharedInstant?
    {
        guard greatest - wall > ServedTime.tolerance else { return wall }
        return acceptances() == self.acceptances ? greatest + (steady - began) : nil
    }
}
