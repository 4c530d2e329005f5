import FocusCore
package import FocusStore

/// A time in which a log catches up: many events have arrived that aren't replayed yet. To replay them for each look
/// would take longer than all else, so views show the state before.
package struct CatchUp {
    /// The instant at which the log was first seen to be behind; nil if it isn't.
    private var since: SteadyInstant?

    /// The number of events that are replayed for each look if need be.
    private static let limit = 1_024
    /// The longest time for which views show the state before. The process that merged the events may have
    /// ended before it replayed them.
    private static let longest = Duration.seconds(30)

    /// A log that isn't known to be behind.
    package init() {}

    /// Returns whether the log of a device catches up.
    package mutating func isUnderWay(on device: Device) throws(StoreError) -> Bool {
        guard try device.store.hasUnreplayedEvents(moreThan: CatchUp.limit) else {
            since = nil
            return false
        }
        let now = device.clocks.sinceBoot()
        let began = since ?? now
        since = began
        return now - began < CatchUp.longest
    }
}
