import FocusClient
import SQLiteKit

/// One of the programs that an `Interleaver` runs at once.
package final class InterleavedProgram {
    /// What happens to it, besides what it does.
    package enum Fate: Hashable, Sendable {
        /// It is killed at its n-th call.
        case killed(at: Int)
        /// From its n-th call on it is stopped for so many microseconds.
        case held(at: Int, for: Int64)
    }

    /// Its number among those of its machine, from 1.
    package let number: Int
    let fate: Fate?
    let body: () throws -> Void
    /// Where its thread waits for its turn.
    let gate = Gate()
    /// How often it has called the file system.
    package internal(set) var calls = 0
    /// Before this instant it has nothing to do, in microseconds.
    var resumes: Int64 = 0
    /// Whether it was killed.
    package internal(set) var isKilled = false
    /// Whether its thread has ended.
    var isDone = false
    /// What it failed with; nil where it didn't.
    package internal(set) var failure: (any Error)?

    init(_ number: Int, _ fate: Fate?, _ body: @escaping () throws -> Void) {
        self.number = number
        self.fate = fate
        self.body = body
    }
}
