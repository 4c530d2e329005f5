package import FocusDevice
import Foundation
package import SQLiteKit
import TestSupport

/// Runs programs of one machine at once, on one disk, as processes do: each on a thread of its own, one of which goes on
/// at a time. At each call of the disk's file system another may have its turn, as the seed says; so the same seed is the
/// same run.
///
/// A file system's wait goes by virtual time, and so does SQLite's patience with locks.
///
/// Everything in it belongs to the thread whose turn it is, which hands it on through a `Gate`. So it is sendable although
/// nothing in it is locked.
package final class Interleaver: @unchecked Sendable {
    /// A call of a program's.
    package struct Turn: Hashable, Sendable {
        /// The program's number.
        package let program: Int
        /// What it asked for.
        package let call: DiskCall
    }

    private let disk: VirtualDisk
    /// Those of other machines.
    private let otherDisks: [VirtualDisk]
    private let time = SimulatedTime()
    private let clock: SimulatedClock
    private var random: SeededGenerator
    /// After how many of a hundred calls a program goes on by itself.
    private let steadiness: Int
    /// All of them, in the order in which they were added.
    package private(set) var programs: [InterleavedProgram] = []
    /// All calls that were made, one after the other.
    package private(set) var turns: [Turn] = []
    /// The program whose turn it is; nil where none runs.
    package private(set) var current: InterleavedProgram?
    /// At which call the power goes; nil where it stays.
    private var powerLoss: Int?
    /// Whether the power has gone.
    package private(set) var hasLostPower = false
    /// Whether the program whose turn it is only finds out that it was killed, or that the power has gone: what it says
    /// nobody hears.
    package var isOver: Bool { current?.isKilled == true }
    /// Is told which program was just killed.
    package var whenKilled: ((InterleavedProgram) -> Void)?
    /// Where who has them run waits for their end.
    private let end = Gate()

    /// - Parameters:
    ///   - disk: one that nothing else has open meanwhile.
    ///   - others: the disks of other machines, at whose calls programs take turns too.
    ///   - start: when it begins, in microseconds since the machine was started.
    package init(_ disk: VirtualDisk, besides others: [VirtualDisk] = [], seed: UInt64, at start: Int64 = 0) {
        self.disk = disk
        otherDisks = others
        clock = SimulatedClock(time, machine: 0, error: 0, rate: 0)
        time.now = start
        random = SeededGenerator(seed: seed)
        // Some go on for long, and some are in each other's way at each step.
        steadiness = [0, 50, 90, 98].randomElement(using: &random) ?? 0
    }

    /// The machine's clocks, which go by virtual time.
    package var clocks: MachineClocks { clock.machineClocks }

    /// Those of another machine, which never sleeps.
    package var otherClocks: MachineClocks {
        SimulatedClock(time, machine: 1, error: 0, rate: 0).machineClocks
    }

    /// Virtual time, in microseconds.
    package var now: Int64 { time.now }

    /// Adds a program, which runs as `run` is called next.
    ///
    /// - Parameter body: what it does. What it opens on the disk it has to let go of.
    @discardableResult
    package func add(
        _ fate: InterleavedProgram.Fate? = nil, at place: InterleavedProgram.Place = .here,
        _ body: @escaping () throws -> Void
    ) -> InterleavedProgram {
        let program = InterleavedProgram(programs.count + 1, fate, place, body)
        programs.append(program)
        return program
    }

    /// Has the power go at the n-th of all calls. The disk must be one that can lose it.
    package func losePower(at call: Int) { powerLoss = call }

    /// Whether all programs that run here or elsewhere have ended, so that nobody is left to be served.
    package var isDeserted: Bool { programs.allSatisfy { $0.place == .service || $0.isDone || $0.isKilled } }

    /// Runs the programs that were added since it was last called until all have ended. The disk can then be used as
    /// before; where the power went, once it is started.
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
        // It begins to use this when it has its turn.
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

    /// The program whose turn it is calls the file system.
    private func called(_ call: DiskCall) {
        guard let program = current, !program.isKilled else { return }
        turns.append(Turn(program: program.number, call: call))
        program.calls += 1
        time.now += call == .sync ? 1_000 : 10
        if case .wait(let microseconds) = call { program.resumes = time.now + Int64(microseconds) }
        switch program.fate {
        case .killed(at: program.calls):
            disk.end(program: program.number)
            kill(program)
        case .held(at: program.calls, for: let duration): program.resumes = time.now + duration
        case .heldWriting(let count, for: let duration) where call == .write:
            program.writes += 1
            if program.writes == count { program.resumes = time.now + duration }
        default: break
        }
        if turns.count == powerLoss {
            hasLostPower = true
            disk.losePower(using: &random)
            for program in programs where program.place == .here && program.hasStarted && !program.isDone {
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

    /// The program whose turn it is has nothing to do before this instant, unless it is woken.
    package func idle(until instant: Int64) {
        guard let program = current, !program.isKilled else { return }
        program.resumes = max(instant, time.now)
        program.isIdle = true
        handOver()
        program.isIdle = false
    }

    /// Wakes a program at this instant that idles for longer.
    func wake(_ program: InterleavedProgram, at instant: Int64) {
        if program.isIdle { program.resumes = min(program.resumes, max(instant, time.now)) }
    }

    /// Another program may have its turn now, though nothing is asked of a disk.
    func pass() {
        guard let program = current, !program.isKilled else { return }
        handOver()
    }

    /// The machine sleeps for so many microseconds: its programs have no turn, and one of its clocks stands still.
    package func suspend(for duration: Int64) {
        clock.suspend()
        time.now += duration
        clock.resume()
    }

    /// Has the next program go on. Returns when it is this one's turn again, or where it has ended at once.
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

    /// Whose turn it is now; nil where all have ended.
    private func next() -> InterleavedProgram? {
        let left = programs.filter { !$0.isDone }
        let running = left.filter { !$0.isKilled }
        // The threads of those that were killed find out at the end: what they do then changes nothing any more.
        guard !running.isEmpty else { return left.first }
        // Nobody is left who wants anything of those that serve.
        if running.allSatisfy({ $0.place == .service }) { return running.first }
        var awake = running.filter { $0.resumes <= time.now }
        if awake.isEmpty {
            time.now = running.map(\.resumes).min() ?? time.now
            awake = running.filter { $0.resumes <= time.now }
        }
        if let current, awake.contains(where: { $0 === current }),
            .random(in: 0..<100, using: &random) < steadiness
        {
            return current
        }
        return awake.randomElement(using: &random)
    }
}
