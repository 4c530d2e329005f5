import SQLiteKit

/// One of the programs that an `Interleaver` runs at once.
package final class InterleavedProgram {
    /// A disturbance of the program.
    package enum Fate: Hashable, Sendable {
        /// The program is killed at its n-th call of the file system.
        case killed(at: Int)
        /// The program is stopped for this number of microseconds at its n-th call of the file system.
        case held(at: Int, for: Int64)
        /// The program is stopped for this number of microseconds at its n-th call that writes. This may be
        /// in the middle of a transaction.
        case heldWriting(at: Int, for: Int64)
    }

    /// The machine on which the program runs, and its role.
    package enum Place: Hashable, Sendable {
        /// The interleaver's own machine, which may lose power.
        case here
        /// Another machine.
        case elsewhere
        /// Another machine, on which the program serves the others until they have ended.
        case service
    }

    /// The program's number, from 1, in the order in which programs were added.
    package let number: Int
    let fate: Fate?
    /// The machine on which it runs, and its role.
    package let place: Place
    let body: () throws -> Void
    /// The gate at which its thread waits for its turn.
    let gate = Gate()
    /// The number of its calls of the file system.
    package internal(set) var calls = 0
    /// The number of its calls that wrote, counted only for `heldWriting`.
    var writes = 0
    /// The instant before which it has nothing to do, in microseconds.
    var resumes: Int64 = 0
    /// Whether it waits for `resumes`, or for another program to wake it.
    var isIdle = false
    /// Whether it was killed, by a fault or by the loss of power.
    package internal(set) var isKilled = false
    var hasStarted = false
    /// Whether its thread has ended.
    package internal(set) var isDone = false
    /// The error that `body` threw, or nil if it threw none.
    package internal(set) var failure: (any Error)?

    init(_ number: Int, _ fate: Fate?, _ place: Place, _ body: @escaping () throws -> Void) {
        self.number = number
        self.fate = fate
        self.place = place
        self.body = body
    }
}
