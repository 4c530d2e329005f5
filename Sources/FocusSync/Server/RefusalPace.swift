import FocusCore

/// How a client takes being told that it asks for too much at once. One that goes on before the time that was named makes
/// work for nothing, and is listened to less: after a while it isn't read from for as long as it should have waited, and
/// has one request at the writer at a time, until it has waited, or, of uploads, something is taken again.
struct RefusalPace {
    /// The latest time that was named.
    private var named = SteadyInstant.distantPast
    /// How many requests came before that time, and were refused again.
    private var hasty = 0
    /// Until when nothing is read from the connection; nil where it is.
    private(set) var restsUntil: SteadyInstant?

    /// How many requests may be at the writer, of this many otherwise.
    func atOnce(of count: Int) -> Int { hasty < Limits.hastyRequests ? count : 1 }

    /// A request was refused as too much at once.
    ///
    /// - Parameters:
    ///   - after: in how long to ask again.
    ///   - heard: when the last bytes came from the client.
    mutating func refused(after: Duration, heard: SteadyInstant) {
        hasty = heard < named ? hasty + 1 : 0
        named = max(named, heard + after)
        if hasty >= Limits.hastyRequests { restsUntil = min(named, heard + Limits.rest) }
    }

    /// It is so late now.
    mutating func advance(to now: SteadyInstant) {
        if let restsUntil, now >= restsUntil { self.restsUntil = nil }
    }
}
