package import FocusCore
import Synchronization
import TestSupport

/// The clocks of a server, which a test sets by hand.
package final class ManualClock: Sendable {
    private struct Readings {
        var steady = SteadyInstant.zero
        var isOff = false
    }

    private let readings = Mutex(Readings())

    package init() {}

    /// Sets the steady clock to `seconds`. The wall clock advances with it, and is an hour ahead if `isOff`.
    package func set(_ seconds: Int64, isOff: Bool) {
        readings.withLock { $0 = Readings(steady: .zero + .seconds(seconds), isOff: isOff) }
    }

    package var steady: SteadyInstant { readings.withLock { $0.steady } }

    package var wall: SharedReading {
        readings.withLock {
            SharedReading(ServerFixture.now) + ($0.steady - .zero)
                + .seconds($0.isOff ? 3_600 : 0)
        }
    }
}
