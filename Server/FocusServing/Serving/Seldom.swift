import FocusCore

/// Keeps what goes wrong again and again from filling the log.
struct Seldom {
    private let interval: Duration
    private var next = SteadyInstant.distantPast

    /// Lets it be written at most once in every `interval`.
    init(every interval: Duration) { self.interval = interval }

    /// Whether to write it now.
    mutating func isDue(at now: SteadyInstant) -> Bool {
        guard now >= next else { return false }
        next = now + interval
        return true
    }
}
