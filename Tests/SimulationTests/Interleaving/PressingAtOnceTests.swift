import FocusCore
import FocusDevice
import FocusStore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Programs that press at once on one laptop", .ends(within: .seconds(120)))
struct PressingAtOnceTests {
    @Test("simultaneous presses of commands and a page are each taken once, on top of the earlier ones")
    func presses() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            laptop.interleaver.add(nil, laptop.commands(4))
            laptop.interleaver.add(nil, laptop.commands(4))
            laptop.interleaver.add(nil, laptop.page(6))
            laptop.run()
            try laptop.check()
            try laptop.checkTaken()
        }
    }

    @Test("a program that is killed at any point leaves nothing half done, and keeps nobody waiting")
    func killed() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            let call = Int.random(in: 1...400, using: &laptop.dice)
            laptop.interleaver.add(.killed(at: call), laptop.page(8))
            laptop.interleaver.add(nil, laptop.commands(4))
            laptop.interleaver.add(nil, laptop.page(4))
            laptop.run()
            try laptop.check()
            try laptop.checkTaken(untold: true)
        }
    }

    @Test("presses that were taken survive a loss of power")
    func power() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            laptop.interleaver.losePower(at: .random(in: 1...60, using: &laptop.dice))
            laptop.interleaver.add(nil, laptop.commands(4))
            laptop.interleaver.add(nil, laptop.page(6))
            laptop.run()
            try laptop.check()
            try laptop.checkTaken(untold: true)
        }
    }

    @Test("a program that waits too long for another reports that the log is busy, and nothing worse")
    func busy() throws {
        var wasBusy = false
        // Some seeds stop the program while it creates the log. In some of these runs the other programs have
        // found an empty log.
        for seed in Schedules.seeds(1...150) {
            let laptop = BusyLaptop(seed: seed)
            laptop.mayBeBusy = true
            let call = Int.random(in: 1...300, using: &laptop.dice)
            laptop.interleaver.add(.held(at: call, for: 200_000_000), laptop.page(6))
            laptop.interleaver.add(nil, laptop.commands(3))
            laptop.interleaver.add(nil, laptop.commands(3))
            laptop.run()
            try laptop.check()
            try laptop.checkTaken()
            wasBusy = wasBusy || laptop.interleaver.clocks.sinceBoot() > .after(.seconds(60))
        }
        #expect(wasBusy)
    }

    @Test("a record that two programs add to the history at once is there once")
    func adding() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            let now = laptop.interleaver.clocks.wall()
            let phases = try (1...3).map { hour in
                let from = now - .seconds(hour * 3600)
                return try PastPhase(
                    .work, Interval(from: from, to: from + 60_000), .completed, label: "call")
            }
            for _ in 0..<3 {
                laptop.interleaver.add {
                    for phase in phases { try laptop.press(.add(phase), on: try laptop.open()) }
                }
            }
            laptop.run()
            try laptop.check()
            try laptop.checkTaken()
            let records = laptop.taken.filter { if case .record = $0.action { true } else { false } }
            #expect(records.count == phases.count, "seed \(seed)")
        }
    }

    @Test("of several equal presses at once, one is taken")
    func same() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            try laptop.press(.start(label: "first"), on: try laptop.open())
            var pauses = 0
            for _ in 0..<3 {
                laptop.interleaver.add {
                    if try laptop.press(.pause, on: try laptop.open()) != nil { pauses += 1 }
                }
            }
            laptop.run()
            try laptop.check()
            try laptop.checkTaken()
            #expect(pauses == 1, "seed \(seed)")
        }
    }

    @Test("settings of a laptop that are changed at once are all kept")
    func settings() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            let changed: LaptopSettings = [
                .notifications: .off, .sound: .off, .warnBefore: .length(.seconds(60)), .sleep: .off,
                .idle: .off, .theme: .name("dark"), .accent: .name("violet"), .tray: .on,
            ]
            for setting in LaptopSetting.allCases {
                let value = try #require(changed[setting])
                laptop.interleaver.add { try setting.set(value, try laptop.open().store) }
            }
            laptop.run()
            try laptop.check()
            #expect(try LaptopSetting.values(try laptop.open().store) == changed, "seed \(seed)")
        }
    }
}
