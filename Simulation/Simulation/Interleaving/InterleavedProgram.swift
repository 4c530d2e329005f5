import SQLiteKit

/// One of the programs that an `Interleaver` runs at once.
package final class InterleavedProgram {
    /// What happens to it, besides what it does.
    package enum Fate: Hashable, Sendable {
        /// It is killed at its n-th call.
        case killed(at: Int)
        /// From its n-th call on it is stopped for so many microseconds.
        case held(at: Int, for: Int64)
        /// The same from its n-th call on that writes something, as it may do in the middle of a transaction.
        case heldWriting(at: Int, for: Int64)
    }

    /// On which machine it runs, and what for.
    package enum Place: Hashable, Sendable {
        /// On the machine that the interleaver is about: it goes where the power goes.
        case here
        /// On another machine.
        case elsewhere
        /// On another machine, where it serves the programs that are here until they have ended.
        case service
    }

    /// Its number among those that the interleaver was given, from 1.
    package let number: Int
    let fate: Fate?
    /// Where it runs.
    package let place: Place
    let body: () throws -> Void
    /// Where its thread waits for its turn.
    let gate = Gate()
    /// How often it has called the file system.
    package internal(set) var calls = 0
    /// How many of these wrote something.
    var writes = 0
    /// Before this instant it has nothing to do, in microseconds.
    var resumes: Int64 = 0
    /// Whether it waits for whatever comes first: an instant, or somebody who wakes it.
    var isIdle = false
    /// Whether it was killed, by somebody or since the power went.
    package internal(set) var isKilled = false
    /// Whether its thread was started.
    var hasStarted = false
    /// Whether its thread has ended.
    package internal(set) var isDone = false
    /// What it failed with; nil where it didn't.
    package internal(set) var failure: (any Error)?

    init(_ number: Int, _ fate: Fate?, _ place: Place, _ body: @escaping () throws -> Void) {
        self.number = number
        self.fate = fate
        self.place = place
        self.body = body
    }
}
