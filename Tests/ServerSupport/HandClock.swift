package import FocusCore
import Synchronization
import TestSupport

/// The clocks of a server whose hands a test moves.
package final class HandClock: Sendable {
    private struct Hands {
        var steady = SteadyInstant.zero
        var isOff = false
    }

    private let hands = Mutex(Hands())

    package init() {}

    /// The steady clock shows so many seconds, and the machine's has gone on with it, or is off by an hour.
    package func set(_ seconds: Int64, isOff: Bool) {
        hands.withLock { $0 = Hands(steady: .zero + .seconds(seconds), isOff: isOff) }
    }

    package var steady: SteadyInstant { hands.withLock { $0.steady } }

    package var wall: SharedReading {
        hands.withLock {
            SharedReading(ServerFixture.now) + ($0.steady - .zero)
                + .seconds($0.isOff ? 3_600 : 0)
        }
    }
}
