import Synchronization

/// By what an errand that one thread waits for is given up from any other.
package final class GivingUp: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isGivenUp = false
        var act: (@Sendable () -> Void)?
    }

    /// Nothing is given up yet.
    package init() {}

    /// Gives the errand up, now or as soon as it begins. Where it is over, nothing happens.
    package func giveUp() {
        let act = state.withLock { state in
            state.isGivenUp = true
            return state.act
        }
        act?()
    }

    /// What gives up the errand that begins; nil once that is over.
    package func listen(_ act: (@Sendable () -> Void)?) {
        let isGivenUp = state.withLock { state in
            state.act = act
            return state.isGivenUp
        }
        if isGivenUp { act?() }
    }
}
