import FocusCore
import FocusServerCore
import FocusServerStore
import Synchronization

/// The result of the last check of the store, and the start of a check that is under way. The reader's thread
/// checks. The network's thread polls the result, so no message has to wake it.
final class StoreHealthMonitor: Sendable {
    private struct State {
        var health: StoreHealth
        /// The duration of the check; nil if the store didn't answer.
        var roundTrip: Duration?
        /// The start of the check that is under way; nil if there is none.
        var begun: SteadyInstant?
    }

    private let state: Mutex<State>

    /// Creates a monitor with a first result.
    init(_ health: StoreHealth) { state = Mutex(State(health: health)) }

    /// The result of the last check.
    var health: StoreHealth { state.withLock(\.health) }

    /// The duration of the last check; nil if the store didn't answer, or wasn't checked yet.
    var roundTrip: Duration? { state.withLock(\.roundTrip) }

    /// Returns the time for which a check has been under way, or zero if there is none. A long time means
    /// that the disk or the database doesn't answer.
    func silence(at now: SteadyInstant) -> Duration {
        state.withLock { $0.begun.map { now - $0 } ?? .zero }
    }

    /// Begins a check, unless one is under way.
    ///
    /// - Returns: Whether the caller has to check the store now.
    func begin(at now: SteadyInstant) -> Bool {
        state.withLock { state in
            guard state.begun == nil else { return false }
            state.begun = now
            return true
        }
    }

    /// Ends the check that is under way.
    ///
    /// - Parameters:
    ///   - health: The result.
    ///   - time: The duration of the check.
    func end(_ health: StoreHealth, after time: Duration) {
        let roundTrip = health == .database(answers: false) ? nil : time
        state.withLock { $0 = State(health: health, roundTrip: roundTrip) }
    }
}
