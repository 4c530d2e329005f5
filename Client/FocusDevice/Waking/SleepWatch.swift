/// Finds out that the machine was asleep, by the two clocks of which one stands still then. Clocks that are set have no
/// say in it.
package struct SleepWatch {
    /// When the machine slept, in microseconds since it started.
    package struct Found: Hashable {
        /// When it was last seen awake before.
        package let from: Int64
        /// How long it slept.
        package let length: Int64

        /// A sleep, in microseconds.
        ///
        /// - Parameter from: since the machine started.
        package init(from: Int64, length: Int64) {
            self.from = from
            self.length = length
        }
    }

    private let clocks: MachineClocks
    private var sinceBoot: Int64
    private var awake: Int64

    /// Less than this, in microseconds, is the clocks' own inaccuracy.
    private static let shortest: Int64 = 2_000_000

    /// Watches from now on: what was slept before isn't found.
    package init(_ clocks: MachineClocks) {
        self.clocks = clocks
        sinceBoot = clocks.sinceBoot()
        awake = clocks.awake()
    }

    /// The sleep, if any, since this was last asked.
    package mutating func look() -> Found? {
        let before = (sinceBoot: sinceBoot, awake: awake)
        (sinceBoot, awake) = (clocks.sinceBoot(), clocks.awake())
        let length = (sinceBoot - before.sinceBoot) - (awake - before.awake)
        return length > SleepWatch.shortest ? Found(from: before.sinceBoot, length: length) : nil
    }
}
