package import FocusCore

/// Finds out that the machine was asleep, by the two clocks of which one stands still then. Clocks that are set have no
/// say in it.
package struct SleepWatch {
    /// When the machine slept.
    package struct Found: Hashable {
        /// When it was last seen awake before.
        package let from: SteadyInstant
        /// How long it slept.
        package let length: Duration

        /// A sleep.
        ///
        /// - Parameter from: when the machine was last seen awake before.
        package init(from: SteadyInstant, length: Duration) {
            self.from = from
            self.length = length
        }
    }

    private let clocks: MachineClocks
    private var sinceBoot: SteadyInstant
    private var awake: SteadyInstant

    /// Less than this is the clocks' own inaccuracy.
    private static let shortest = Duration.seconds(2)

    /// Watches from now on: what was slept before isn't found.
    package init(_ clocks: MachineClocks) {
        self.clocks = clocks
        sinceBoot = clocks.sinceBoot()
        awake = clocks.awake()
    }

    /// The sleep, if any, since this was last asked.
    package mutating func check() -> Found? {
        let before = (sinceBoot: sinceBoot, awake: awake)
        (sinceBoot, awake) = (clocks.sinceBoot(), clocks.awake())
        let length = (sinceBoot - before.sinceBoot) - (awake - before.awake)
        return length > SleepWatch.shortest ? Found(from: before.sinceBoot, length: length) : nil
    }
}
