/// Keeps what goes wrong again and again from filling the log.
struct Seldom {
    private let interval: Int64
    private var next = Int64.min

    /// Lets it be written at most once in every `interval`.
    init(every interval: Duration) { self.interval = interval.components.seconds * 1_000_000 }

    /// Whether to write it now, on a clock of microseconds that never jumps.
    mutating func isDue(at now: Int64) -> Bool {
        guard now >= next else { return false }
        next = now + interval
        return true
    }
}
