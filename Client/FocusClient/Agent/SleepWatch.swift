/// Finds out that the machine was asleep, by the two clocks of which one stands still then.
struct SleepWatch {
    private let clocks: MachineClocks
    private var sinceBoot: Int64
    private var awake: Int64

    /// Less than this, in microseconds, is the clocks' own inaccuracy.
    private static let shortest: Int64 = 2_000_000

    init(_ clocks: MachineClocks) {
        self.clocks = clocks
        sinceBoot = clocks.sinceBoot()
        awake = clocks.awake()
    }

    /// Whether the machine has slept since this was last asked.
    mutating func hasSlept() -> Bool {
        let before = (sinceBoot, awake)
        (sinceBoot, awake) = (clocks.sinceBoot(), clocks.awake())
        return (sinceBoot - before.0) - (awake - before.1) > SleepWatch.shortest
    }
}
