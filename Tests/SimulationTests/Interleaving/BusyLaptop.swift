import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import Simulation
import TestSupport
import Testing

/// A laptop on which several programs use the log at the same time. Only one program runs at any moment, and
/// only that program may use this object.
final class BusyLaptop {
    let disk = VirtualDisk()
    let interleaver: Interleaver
    let seed: UInt64
    var dice: SeededGenerator
    /// The events that programs have reported as written, in order.
    private(set) var taken: [Event] = []
    /// The number of labels given out.
    private(set) var presses = 0
    /// Whether a program may hold the log for longer than others wait, so that "busy" is no failure.
    var mayBeBusy = false
    private var replicas: SeededGenerator
    /// Called after each press. Commands poke the agent then.
    var whenPressed: () -> Void = {}
    /// The longest pause between presses, in microseconds.
    var leisure: Int64 = 0

    static let home = Home(folder: "/focus")

    /// - Parameters:
    ///   - image: The contents of the laptop's disk.
    ///   - others: The disks of other machines.
    ///   - start: The time at the beginning, in microseconds.
    init(
        seed: UInt64, _ image: DiskImage = DiskImage(), besides others: [VirtualDisk] = [],
        at start: Int64 = 0
    ) {
        self.seed = seed
        dice = SeededGenerator(seed: seed)
        replicas = SeededGenerator(seed: seed ^ 0xA5A5)
        interleaver = Interleaver(disk, besides: others, seed: seed, at: start)
        disk.replace(with: image)
    }

    /// Opens the log, as another program does.
    func open() throws(StoreError) -> Device {
        let store = try DeviceStore(path: BusyLaptop.home.database, on: .virtual(disk)) { [unowned self] in
            ReplicaID(rawValue: replicas.next())
        }
        return Device(
            BusyLaptop.home, store, .simulated(interleaver.clocks, name: "laptop", seed: seed))
    }

    /// Returns a label that nothing else has.
    func label() -> String {
        presses += 1
        return "press \(presses)"
    }

    /// Returns a random interaction.
    func interaction() -> Interaction {
        switch Int.random(in: 0..<14, using: &dice) {
        case ..<3: .start(label: label())
        case ..<6: .label(label())
        case 6: .toggle
        case 7: .pause
        case 8: .resume
        case 9: .skip
        case 10: .addTime(.seconds(Int64.random(in: -60...600, using: &dice)))
        case 11: .stop
        case 12: .set(.dailyGoal, .random(in: 1...20, using: &dice))
        default: .undo
        }
    }

    /// Performs the interaction.
    ///
    /// - Returns: The events written, or nil if the timer didn't accept the press.
    @discardableResult
    func press(_ interaction: Interaction, on device: Device) throws -> [Event]? {
        do {
            let events = try device.perform(interaction, consent: .always).events
            guard !interleaver.isCurrentKilled else { return events }
            taken += events
            whenPressed()
            return events
        } catch .store(let error) {
            guard error.code == .busy, mayBeBusy else { throw error }
            return nil
        } catch {
            return nil
        }
    }

    /// Returns a program that runs `count` commands. Each command opens the log by itself.
    func commands(_ count: Int) -> () throws -> Void {
        {
            [unowned self] in
            for _ in 0..<count {
                wait()
                do throws(StoreError) {
                    let device = try open()
                    do { try press(interaction(), on: device) } catch {
                        throw error as? StoreError ?? StoreError(.failed, "\(error)")
                    }
                } catch {
                    guard error.code == .busy, mayBeBusy else { throw error }
                }
            }
        }
    }

    /// Returns a program that keeps the log open, as a page does, and shows the state between presses.
    func page(_ count: Int) -> () throws -> Void {
        {
            [unowned self] in
            let device = try open()
            for _ in 0..<count {
                wait()
                try press(interaction(), on: device)
                _ = try device.store.state()
                _ = try device.store.history()
            }
        }
    }

    /// Idles for a random time, up to `leisure`.
    func wait() {
        guard leisure > 0, !interleaver.isCurrentKilled else { return }
        interleaver.idle(until: interleaver.now + .random(in: 0...leisure, using: &dice))
    }

    /// Runs all programs. After a power loss, starts the disk again.
    func run() {
        interleaver.run()
        if interleaver.hasLostPower { disk.start() }
    }

    /// The unexpected failures of programs.
    var failures: [String] {
        guard !interleaver.hasLostPower else { return [] }
        return interleaver.programs.filter { !$0.isKilled }.compactMap { program in
            program.failure.map { "program \(program.number): \($0)" }
        }
    }
}

// MARK: - Checks

extension BusyLaptop {
    /// Checks the laptop after any interleaving: no program failed, the log has no holes, and its state is
    /// that of the naive timer.
    func check(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(failures == [], "seed \(seed)", sourceLocation: location)
        let store = try open().store
        #expect(try store.integrityProblems() == [], "seed \(seed)", sourceLocation: location)
        let stored = try store.allStoredEvents()
        #expect(stored.firstHole() == nil, "seed \(seed)", sourceLocation: location)
        let events = stored.compactMap(\.event)
        let now = interleaver.clocks.wall()
        let (state, journal) = try store.history()
        let expected = try #require(NaiveTimer.state(of: events, at: now), sourceLocation: location)
        #expect(
            NaiveState(state, journal, at: now) == expected, "seed \(seed)", sourceLocation: location)
        #expect(
            NaiveState(try store.state(), journal, at: now) == expected, "seed \(seed)",
            sourceLocation: location)
        let pending = try store.replicas().reduce(0) { $0 + $1.seq - $1.acknowledged }
        #expect(try store.pendingCount() == pending, "seed \(seed)", sourceLocation: location)
    }

    /// Checks that the log has every event that was reported, unchanged, and no other events.
    ///
    /// - Parameter untold: Whether there may be events that nobody was told of.
    func checkTaken(untold: Bool = false, _ location: SourceLocation = #_sourceLocation) throws {
        let stored = try open().store.allStoredEvents().compactMap(\.event)
        let found = Set(stored)
        #expect(Set(taken).count == taken.count, "seed \(seed)", sourceLocation: location)
        let lost = taken.filter { !found.contains($0) }
        #expect(lost == [], "seed \(seed)", sourceLocation: location)
        guard !untold else { return }
        #expect(found.subtracting(taken) == [], "seed \(seed)", sourceLocation: location)
    }
}
