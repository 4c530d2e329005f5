package import FocusServerStore
package import FocusWriter
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
    package convenience init(
        on store: any ServerStore, _ limits: ServerLimits = ServerLimits(), log: Log = .silent
    ) throws {
        try self.init(store, clock: ManualClock().serverClock(), limits: limits, log: log)
    }
}
