import SQLiteKit

/// One of the programs that an `Interleaver` runs at once.
package final class InterleavedProgram {
    /// A fault that hits the program.
    package enum InjectedFault: Hashable, Sendable {
        /// The program is killed at its n-th call of the file system.
        case killed(at: Int)
        /// The program is stopped for this number of microseconds at its n-th call of the file system.
        case held(at: Int, for: Int64)
        /// The program is stopped for this number of microseconds at its n-th call that writes. This may be
        /// in the middle of a transaction.
        case heldWriting(at: Int, for: Int64)
    }

    /// The part that the program plays, and the machine on which it runs.
    package enum ProgramRole: Hashable, Sendable {
        /// A program on the interleaver's own machine, which may lose power.
        case local
        /// A program on another machine.
        case remote
        /// A program on another machine that serves the others until they have ended.
        case service
    }

    /// The program's number, from 1, in the order in which programs were added.
    package let number: Int
    let fault: InjectedFault?
    /// Its part among the programs, and the machine on which it runs.
    package let role: ProgramRole
    let body: () throws -> Void
    /// The gate at which its thread waits for its turn.
    let gate = Gate()
    /// The number of its calls of the file system.
    package internal(set) var calls = 0
    /// The number of its calls that wrote, counted only for `heldWriting`.
    var writes = 0
    /// The instant before which it has nothing to do, in microseconds.
    var resumesAt: Int64 = 0
    /// Whether it waits for `resumesAt`, or for another program to wake it.
    var isIdle = false
    /// Whether it was killed, by a fault or by the loss of power.
    package internal(set) var isKilled = false
    var hasStarted = false
    /// Whether its thread has ended.
    package internal(set) var isDone = false
    /// The error that `body` threw, or nil if it threw none.
    package internal(set) var failure: (any Error)?

    init(_ number: Int, _ fault: InjectedFault?, _ role: ProgramRole, _ body: @escaping () throws -> Void) {
        self.number = number
        self.fault = fault
        self.role = role
        self.body = body
    }
}
