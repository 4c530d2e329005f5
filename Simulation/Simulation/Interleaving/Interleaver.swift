package import FocusClient
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
    private let time = SimulatedTime()
    private var random: SeededGenerator
    /// After how many of a hundred calls a program goes on by itself.
    private let steadiness: Int
    /// All of them, in the order in which they were added.
    package private(set) var programs: [InterleavedProgram] = []
    /// All calls that were made, one after the other.
    package private(set) var turns: [Turn] = []
    private var current: InterleavedProgram?
    /// At which call the power goes; nil where it stays.
    private var powerLoss: Int?
    /// Whether the power has gone.
    package private(set) var hasLostPower = false
    /// Whether the program whose turn it is only finds out that it was killed, or that the power has gone: what it says
    /// nobody hears.
    package var isOver: Bool { hasLostPower || current?.isKilled == true }
    /// Where who has them run waits for their end.
    private let end = Gate()

    /// - Parameter disk: one that nothing else has open meanwhile.
    package init(_ disk: VirtualDisk, seed: UInt64) {
        self.disk = disk
        random = SeededGenerator(seed: seed)
        // Some go on for long, and some are in each other's way at each step.
        steadiness = [0, 50, 90, 98].randomElement(using: &random) ?? 0
    }

    /// The machine's clocks, which go by virtual time.
    package var clocks: MachineClocks {
        let time = time
        return MachineClocks(
            wall: { (SimulatedTime.epoch + time.now) / 1000 }, sinceBoot: { time.now }, awake: { time.now },
            boot: { "boot" })
    }

    /// Adds a program.
    ///
    /// - Parameter body: what it does. What it opens on the disk it has to let go of.
    @discardableResult
    package func add(
        _ fate: InterleavedProgram.Fate? = nil, _ body: @escaping () throws -> Void
    ) -> InterleavedProgram {
        let program = InterleavedProgram(programs.count + 1, fate, body)
        programs.append(program)
        return program
    }

    /// Has the power go at the n-th of all calls. The disk must be one that can lose it.
    package func losePower(at call: Int) { powerLoss = call }

    /// Runs the programs until all have ended. The disk can then be used as before; where the power went, once it is
    /// started.
    package func run() {
        disk.whenCalled = { [unowned self] in called($0) }
        for program in programs { start(program) }
        handOver()
        end.pass()
        disk.whenCalled = nil
        disk.program = 0
    }

    private func start(_ program: InterleavedProgram) {
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
        guard let program = current, !program.isKilled, !hasLostPower else { return }
        turns.append(Turn(program: program.number, call: call))
        program.calls += 1
        time.now += call == .sync ? 1_000 : 10
        if case .wait(let microseconds) = call { program.resumes = time.now + Int64(microseconds) }
        switch program.fate {
        case .killed(at: program.calls):
            program.isKilled = true
            disk.end(program: program.number)
        case .held(at: program.calls, for: let duration): program.resumes = time.now + duration
        default: break
        }
        if turns.count == powerLoss {
            hasLostPower = true
            return disk.losePower(using: &random)
        }
        handOver()
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
        guard !running.isEmpty, !hasLostPower else { return left.first }
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
