import FocusCore

/// How often a client pings. It needs to do so every twenty seconds; one that does much more often isn't read from for a
/// while, since each answer costs the network's thread, and so everybody, some microseconds.
struct PingPace {
    /// When the window began in which pings are counted.
    private var began: SteadyInstant?
    private var count = 0
    /// Until when nothing is read from the connection; nil where it is.
    private(set) var restsUntil: SteadyInstant?

    /// A ping was answered.
    ///
    /// - Parameters:
    ///   - now: when it came.
    ///   - limit: how many are answered in `Limits.pingWindow`.
    mutating func answered(at now: SteadyInstant, limit: Int) {
        var began = began ?? now
        if now - began >= Limits.pingWindow {
            began = now
            count = 0
        }
        self.began = began
        count += 1
        if count >= limit { restsUntil = began + Limits.pingWindow }
    }

    /// It is so late now. What came while the connection rested is counted from now on.
    mutating func advance(to now: SteadyInstant) {
        guard let restsUntil, now >= restsUntil else { return }
        self = PingPace()
        began = now
    }
}
