import FocusCore

/// The time that a server goes by whose own clock was never set wrong, as docs/protocol.md ("Time") has it: others that
/// share its store may have served a time that lies ahead.
struct ServedTime {
    /// The greatest time that was served before it began.
    private let greatest: SharedInstant
    /// How often operators had accepted a clock.
    private let acceptances: Int64
    /// When it began, on its steady clock.
    private let began: SteadyInstant

    /// The most that a clock may be behind the greatest time served.
    private static let tolerance = Duration.seconds(120)

    init(after greatest: SharedInstant, acceptances: Int64, at began: SteadyInstant) {
        (self.greatest, self.acceptances, self.began) = (greatest, acceptances, began)
    }

    /// The time now: its clock's if that is sure, else on from the greatest time served.
    ///
    /// - Parameter acceptances: How often operators have accepted a clock by now; nil if that can't be read.
    /// - Returns: nil if it may have heard that its clock was accepted, or not yet.
    func now(wall: SharedInstant, steady: SteadyInstant, acceptances: @autoclosure () -> Int64?)
        -> SharedInstant?
    {
        guard greatest - wall > ServedTime.tolerance else { return wall }
        return acceptances() == self.acceptances ? greatest + (steady - began) : nil
    }
}
