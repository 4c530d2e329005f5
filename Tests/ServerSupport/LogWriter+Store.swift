package import FocusServerCore
package import FocusServerStore
import TestSupport

extension ManualClock {
    /// A server clock that follows these clocks. It is sure of the time unless they are off.
    func serverClock() -> ServerClock {
        let clock = ServerClock(greatestServed: 0, wall: { self.wall }, steady: { self.steady })
        _ = clock.check()
        return clock
    }
}

extension LogWriter {
    /// Creates a writer to a store as it is. The writer's clock stands still.
    ///
    /// - Parameter follows: Whether it keeps up with what other servers change in its groups.
    package convenience init(
        on store: any ServerStore, _ limits: ServerLimits = ServerLimits(), log: Log = .silent,
        follows: Bool = false
    ) throws {
        try self.init(store, clock: ManualClock().serverClock(), limits: limits, log: log)
        if follows { add(groups.keys.map { .shared(.follow($0, for: nil)) }) }
    }
}
