import FocusNet

/// Finds out that the machine was asleep, by the two clocks of which one stands still then.
struct SleepWatch {
    private var sinceBoot = SystemClock.sinceBoot()
    private var awake = SuspendingClock.now

    /// Less than this, in milliseconds, is the clocks' own inaccuracy.
    private static let shortest: Int64 = 2_000

    /// Whether the machine has slept since this was last asked.
    mutating func hasSlept() -> Bool {
        let now = SystemClock.sinceBoot()
        let awakeNow = SuspendingClock.now
        let (seconds, attoseconds) = (awakeNow - awake).components
        let slept = now - sinceBoot - (seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        sinceBoot = now
        awake = awakeNow
        return slept > SleepWatch.shortest
    }
}
