import FocusCore
import FocusServerFiles
import FocusWriter
import Synchronization

/// What was last seen of the store, and since when a look at it is under way: the reader's thread looks, and the
/// network's thread goes by what was seen, without being woken for it.
final class StoreSight: Sendable {
    private struct Sight {
        var look: StoreLook
        /// How long that took; nil where nothing answered.
        var roundTrip: Duration?
        /// When the look began that is under way.
        var begun: SteadyInstant?
    }

    private let sight: Mutex<Sight>

    /// This was seen.
    init(_ look: StoreLook) { sight = Mutex(Sight(look: look)) }

    /// What was last seen.
    var look: StoreLook { sight.withLock(\.look) }

    /// How long the last look took; nil where nothing answered, or there was none.
    var roundTrip: Duration? { sight.withLock(\.roundTrip) }

    /// Since when a look is under way: one that doesn't come back is of a disk, or a database,
    /// that doesn't answer.
    func silence(at now: SteadyInstant) -> Duration {
        sight.withLock { $0.begun.map { now - $0 } ?? .zero }
    }

    /// A look begins, unless one is under way.
    ///
    /// - Returns: whether it does.
    func begin(at now: SteadyInstant) -> Bool {
        sight.withLock { sight in
            guard sight.begun == nil else { return false }
            sight.begun = now
            return true
        }
    }

    /// The look that was under way saw this, and took so long.
    func end(_ look: StoreLook, after time: Duration) {
        let roundTrip = look == .database(answers: false) ? nil : time
        sight.withLock { $0 = Sight(look: look, roundTrip: roundTrip) }
    }
}
