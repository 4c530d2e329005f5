package import FocusDevice
import Foundation
package import SQLiteKit
import TestSupport

/// Runs several programs of one machine at once, on one disk, as processes do. Each has its own thread, and
/// one of them runs at a time. At each call of the disk's file system, the seed decides which program
/// continues, so the same seed is the same run.
///
/// Waits of the file system and SQLite's busy timeout go by virtual time.
///
/// Only the thread that has its turn accesses the interleaver's fields, and it hands them on through a
/// `Gate`. So the type is sendable without locks.
package final class Interleaver: @unchecked Sendable {
    /// A program's call of the file system.
    package struct Turn: Hashable, Sendable {
        /// The program's number.
        package let program: Int
        /// The call.
        package let call: DiskCall
    }

    private let disk: VirtualDisk
    /// The disks of other machines.
    private let otherDisks: [VirtualDisk]
    private let time = SimulatedTime()
    private let clock: SimulatedClock
    private var random: SeededGenerator
    /// The probability that a program continues after its call, in percent.
    private let steadiness: Int
    /// All programs, in the order in which they were added.
    package private(set) var programs: [InterleavedProgram] = []
    /// All calls, in order.
    package private(set) var turns: [Turn] = []
    /// The program that has its turn, or nil if none runs.
    package private(set) var current: InterleavedProgram?
    /// The number of the call at which the power goes, or nil if it doesn't.
    private var powerLoss: Int?
    /// Whether the power has gone.
    package private(set) var hasLostPower = false
    /// Whether the current program has been killed, also by the loss of power. Its thread still runs to its
    /// end, but without any effect.
    package var isCurrentKilled: Bool { current?.isKilled == true }
    /// Called with each program that was just killed.
    package var whenKilled: ((InterleavedProgram) -> Void)?
    /// The gate at which the caller of `run` waits for the end.
    private let end = Gate()

    /// - Parameters:
    ///   - disk: The machine's disk. Nothing else may have it open meanwhile.
    ///   - others: The disks of other machines. Programs take turns at their calls too.
    ///   - start: The start, in microseconds since the machine's boot.
    package init(_ disk: VirtualDisk, besides others: [VirtualDisk] = [], seed: UInt64, at start: Int64 = 0) {
        self.disk = disk
        otherDisks = others
        clock = SimulatedClock(time, machine: 0, error: 0, rate: 0)
        time.now = start
        random = SeededGenerator(seed: seed)
        // Some runs have long turns. In others the programs interleave at each step.
        steadiness = [0, 50, 90, 98].randomElement(using: &random) ?? 0
    }

    /// The machine's clocks, which go by virtual time.
    package var clocks: MachineClocks { clock.machineClocks }

    /// The clocks of another machine, which never sleeps.
    package var otherClocks: MachineClocks {
        SimulatedClock(time, machine: 1, error: 0, rate: 0).machineClocks
    }

    /// The virtual time, in microseconds.
    package var now: Int64 { time.now }

    /// Adds a program, which begins at the next `run`.
    ///
    /// - Parameter body: The program. It has to close all that it opens on the disk.
    @discardableResult
    package func add(
        _ fault: InterleavedProgram.InjectedFault? = nil, as role: InterleavedProgram.ProgramRole = .local,
        _ body: @escaping () throws -> Void
    ) -> InterleavedProgram {
        let program = InterleavedProgram(programs.count + 1, fault, role, body)
        programs.append(program)
        return program
    }

    /// Makes the power go at call number `call`, counted over all programs. The disk must support a loss of
    /// power.
    package func losePower(at call: Int) { powerLoss = call }

    /// Whether all programs other than services have ended.
    package var isDeserted: Bool { programs.allSatisfy { $0.role == .service || $0.isDone || $0.isKilled } }

    /// Runs the programs that were added since the last `run`, and returns when all have ended. After a loss
    /// of power, the disk must be started before it is used again.
    package func run() {
        hasLostPower = false
        let disks = [disk] + otherDisks
        for disk in disks { disk.whenCalled = { [unowned self] in called($0) } }
        for program in programs where !program.hasStarted { start(program) }
        handOver()
        end.pass()
        for disk in disks { disk.whenCalled = nil }
        disk.program = 0
        current = nil
        powerLoss = nil
    }

    private func start(_ program: InterleavedProgram) {
        program.hasStarted = true
        // The new thread accesses it only during its turns.
        nonisolated(unsafe) let program = program
        Thread.detachNewThread { [self] in
            program.gate.pass()
            do {
                try program.body()
            } catch {
                program.failure = error
            }
            program.isDone = true
            handOver()
        }
    }

    // MARK: - Turns

    /// Handles a call of the file system by the current program.
    private func called(_ call: DiskCall) {
        guard let program = current, !program.isKilled else { return }
        turns.append(Turn(program: program.number, call: call))
        program.calls += 1
        // A sync takes a millisecond, any other call 10 microseconds.
        time.now += call == .sync ? 1_000 : 10
        if case .wait(let microseconds) = call { program.resumesAt = time.now + Int64(microseconds) }
        switch program.fault {
        case .killed(at: program.calls):
            disk.end(program: program.number)
            kill(program)
        case .held(at: program.calls, for: let duration): program.resumesAt = time.now + duration
        case .heldWriting(let count, for: let duration) where call == .write:
            program.writes += 1
            if program.writes == count { program.resumesAt = time.now + duration }
        default: break
        }
        if turns.count == powerLoss {
            hasLostPower = true
            disk.losePower(using: &random)
            for program in programs where program.role == .local && program.hasStarted && !program.isDone {
                kill(program)
            }
        }
        handOver()
    }

    private func kill(_ program: InterleavedProgram) {
        guard !program.isKilled else { return }
        program.isKilled = true
        whenKilled?(program)
    }

    /// Lets the other programs run until `instant`, or until the current program is woken.
    package func idle(until instant: Int64) {
        guard let program = current, !program.isKilled else { return }
        program.resumesAt = max(instant, time.now)
        program.isIdle = true
        handOver()
        program.isIdle = false
    }

    /// Wakes an idle program at `instant`, if it would idle for longer.
    func wake(_ program: InterleavedProgram, at instant: Int64) {
        if program.isIdle { program.resumesAt = min(program.resumesAt, max(instant, time.now)) }
    }

    /// Lets another program have its turn without a call of the file system.
    func pass() {
        guard let program = current, !program.isKilled else { return }
        handOver()
    }

    /// Makes the machine sleep for `duration` microseconds. No program runs. The machine's clock that doesn't
    /// count sleep stands still.
    package func suspend(for duration: Int64) {
        clock.suspend()
        time.now += duration
        clock.resume()
    }

    /// Lets the next program continue. Returns when the current one has its turn again, or at once if it has
    /// ended.
    private func handOver() {
        let before = current
        guard let next = next() else { return end.open() }
        guard next !== before else { return }
        let waits = before?.isDone == false
        current = next
        disk.program = next.number
        next.gate.open()
        if waits { before?.gate.pass() }
    }

    /// The program that has the next turn, or nil if all have ended.
    private func next() -> InterleavedProgram? {
        let left = programs.filter { !$0.isDone }
        let running = left.filter { !$0.isKilled }
        // Killed programs' threads run to their ends last. Nothing that they do has an effect.
        guard !running.isEmpty else { return left.first }
        // Only services are left. They end by themselves, because no program needs them.
        if running.allSatisfy({ $0.role == .service }) { return running.first }
        var awake = running.filter { $0.resumesAt <= time.now }
        if awake.isEmpty {
            time.now = running.map(\.resumesAt).min() ?? time.now
            awake = running.filter { $0.resumesAt <= time.now }
        }
        if let current, awake.contains(where: { $0 === current }),
            .random(in: 0..<100, using: &random) < steadiness
        {
            return current
        }
        return awake.randomElement(using: &random)
    }
}
