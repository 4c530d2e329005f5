package import FocusServerStore
package import FocusWriter
import TestSupport

extension HandClock {
    /// A server's clock that goes by these hands, and is sure as long as they aren't off.
    func serverClock() -> ServerClock {
        let clock = ServerClock(greatestServed: 0, wall: { self.wall }, steady: { self.steady })
        _ = clock.check()
        return clock
    }
}

extension LogWriter {
    /// A writer to a store as it is. Its clock stands still.
    package convenience init(
        on store: any ServerStore, _ limits: ServerLimits = ServerLimits(), log: Log = .silent
    ) throws {
        try self.init(store, clock: HandClock().serverClock(), limits: limits, log: log)
    }
}
