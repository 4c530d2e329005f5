import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import Simulation
import TestSupport
import Testing

/// A laptop several of whose programs use its log at once. What belongs to it belongs to whose turn it is.
final class BusyLaptop {
    let disk = VirtualDisk()
    let interleaver: Interleaver
    let seed: UInt64
    var dice: SeededGenerator
    /// What people were told was done, in the order in which they were.
    private(set) var taken: [Event] = []
    /// How many presses were made.
    private(set) var presses = 0
    /// Whether anything may take so long that others run out of patience.
    var mayBeBusy = false
    private var replicas: SeededGenerator
    /// Is called when somebody has pressed, as a command does then.
    var whenPressed: () -> Void = {}
    /// How long people wait between presses, in microseconds at most.
    var leisure: Int64 = 0

    static let home = Home(folder: "/focus")

    /// - Parameters:
    ///   - image: what is on its disk.
    ///   - others: the disks of other machines.
    ///   - start: when it begins, in microseconds.
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

    /// The log, as another program opens it.
    func open() throws(StoreError) -> Device {
        let store = try DeviceStore(path: BusyLaptop.home.database, on: .virtual(disk)) { [unowned self] in
            ReplicaID(rawValue: replicas.next())
        }
        return Device(BusyLaptop.home, store, clocks: interleaver.clocks, hostName: { "laptop" })
    }

    /// A label that nothing else has.
    func label() -> String {
        presses += 1
        return "press \(presses)"
    }

    /// Something that somebody may press.
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

    /// Somebody presses this.
    ///
    /// - Returns: what was written; nil where the timer didn't take it.
    @discardableResult
    func press(_ interaction: Interaction, on device: Device) throws -> [Event]? {
        do {
            let events = try device.perform(interaction, consent: .always).events
            guard !interleaver.isOver else { return events }
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

    /// Commands, each of which opens the log for itself.
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

    /// A page, which keeps the log open, and shows the state between presses.
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

    /// Somebody does nothing for a while.
    func wait() {
        guard leisure > 0, !interleaver.isOver else { return }
        interleaver.idle(until: interleaver.now + .random(in: 0...leisure, using: &dice))
    }

    /// Runs all of it.
    func run() {
        interleaver.run()
        if interleaver.hasLostPower { disk.start() }
    }

    /// What the programs failed with that may not fail.
    var failures: [String] {
        guard !interleaver.hasLostPower else { return [] }
        return interleaver.programs.filter { !$0.isKilled }.compactMap { program in
            program.failure.map { "program \(program.number): \($0)" }
        }
    }
}

// MARK: - What has to hold

extension BusyLaptop {
    /// Whatever came between what: everything that was taken is there once, and the log is one.
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

    /// Every event that was taken is there as it was, and nothing else is, but for what nobody was told of.
    ///
    /// - Parameter untold: whether there may be such.
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
