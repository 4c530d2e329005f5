import FocusCore
import FocusDevice
import FocusStore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A laptop that wakes while its log is busy", .ends(within: .seconds(180)))
struct SleepingAtOnceTests {
    /// Adds a session during which the lid is closed for half an hour. On waking, another program holds the
    /// log for longer than the agent waits.
    private func closeLid(_ group: BusyGroup) throws {
        let laptop = group.laptop
        laptop.mayBeBusy = true
        group.addAgent()
        let loop = ProgramLoop(laptop.interleaver)
        var isAwake = false
        laptop.interleaver.add {
            try laptop.press(.start(label: laptop.label()), on: try laptop.open())
            ProgramLoop(laptop.interleaver).run(for: 20_000_000)
            laptop.interleaver.suspend(for: 1_800_000_000)
            loop.post { isAwake = true }
        }
        // These presses decide nothing about the sleep, so the agent has to decide.
        let call = Int.random(in: 1...25, using: &laptop.dice)
        let time = Int64.random(in: 60...150, using: &laptop.dice) * 1_000_000
        laptop.interleaver.add(.heldWriting(at: call, for: time)) {
            loop.run(for: 3_600_000_000) { isAwake }
            for number in 0..<4 {
                try laptop.press(.nameDevice("name \(number)"), on: try laptop.open())
            }
        }
    }

    /// Adds a check, minutes later, that the sleep was decided about, whether or not the server can be
    /// reached.
    private func look(_ group: BusyGroup) {
        let laptop = group.laptop
        laptop.interleaver.add(as: .remote) {
            ProgramLoop(laptop.interleaver).run(for: 2_300_000_000)
            let pauses = try pauses(try laptop.open().store)
            group.require(pauses == 1, "it wrote \(pauses) pauses")
        }
    }

    private func pauses(_ store: DeviceStore) throws -> Int {
        try store.allStoredEvents().compactMap(\.event)
            .count { if case .pause = $0.action { true } else { false } }
    }

    @Test("alone, pauses the session once, from the time when it fell asleep")
    func alone() throws {
        for seed in Schedules.seeds(1...24) {
            let group = try BusyGroup(seed: seed, nil)
            try closeLid(group)
            look(group)
            try group.run()
            #expect(try pauses(try group.laptop.open().store) == 1, "seed \(seed)")
            try group.check()
        }
    }

    @Test("cut off from its server, pauses the session in the same way")
    func cutOff() throws {
        for seed in Schedules.seeds(1...24) {
            let group = try BusyGroup(seed: seed)
            group.cutOff(for: 2_400_000_000)
            try closeLid(group)
            look(group)
            try group.run()
            #expect(try pauses(try group.laptop.open().store) == 1, "seed \(seed)")
            try group.check()
        }
    }
}
