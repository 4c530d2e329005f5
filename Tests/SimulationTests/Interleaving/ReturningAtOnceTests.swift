import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import SQLiteKit
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A laptop that returns while its person presses", .ends(within: .seconds(180)))
struct ReturningAtOnceTests {
    /// Returns a group with a session, in which the laptop is cut off for a while. People press here and at
    /// the other laptop.
    private func group(_ seed: UInt64) throws -> BusyGroup {
        let group = try BusyGroup(seed: seed)
        let laptop = group.laptop
        let device = try laptop.open()
        try laptop.press(.start(label: laptop.label()), on: device)
        try group.syncQuietly(device, try group.openOther())
        group.server.addThreads()
        laptop.leisure = 2_000_000
        group.presses(elsewhere: 4) { [unowned laptop] _ in
            let choices: [Interaction] = [.stop, .pause, .resume, .skip, .set(.dailyGoal, 3)]
            return choices.randomElement(using: &laptop.dice) ?? .toggle
        }
        group.cutOff(for: .random(in: 2_000_000...8_000_000, using: &laptop.dice))
        laptop.interleaver.add {
            for number in 0..<4 {
                laptop.wait()
                let choices: [Interaction] = [
                    .pause, .resume, .skip, .addTime(.seconds(60)), .label("offline \(number)"),
                    .set(.dailyGoal, 5),
                ]
                guard let choice = choices.randomElement(using: &laptop.dice) else { return }
                try laptop.press(choice, on: try laptop.open())
            }
        }
        return group
    }

    @Test("the returning laptop decides once, even if people press meanwhile")
    func returning() throws {
        var written = 0
        for seed in Schedules.seeds(1...30) {
            let group = try group(seed)
            group.addAgent()
            group.laptop.interleaver.add(nil, group.laptop.commands(5))
            group.laptop.interleaver.add(nil, group.laptop.page(5))
            try group.run()
            written += group.agent.returns.count { !$0.isEmpty }
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
        #expect(written > Schedules.share(of: 10))
    }

    @Test(
        "it decides neither by halves nor twice if somebody presses and undoes while it connects")
    func pressing() throws {
        var written = 0
        for seed in Schedules.seeds(1...40) {
            let group = try group(seed)
            let laptop = group.laptop
            group.mustReturnByRules = true
            let loop = ProgramLoop(laptop.interleaver)
            group.addAgent()
            laptop.interleaver.add {
                let device = try laptop.open()
                var isConnected = false
                group.agent.whenConnected = { loop.post { isConnected = true } }
                loop.run(for: 20_000_000) { isConnected }
                var presses = 0
                while group.agent.returns.isEmpty, presses < 100, !laptop.interleaver.isCurrentKilled {
                    presses += 1
                    loop.run(for: .random(in: 0...2_000, using: &laptop.dice))
                    let choices: [Interaction] = [.undo, .toggle, .skip]
                    try laptop.press(choices.randomElement(using: &laptop.dice) ?? .undo, on: device)
                }
            }
            try group.run()
            written += group.agent.returns.count { !$0.isEmpty }
            try group.check()
            try laptop.checkTaken(untold: true)
        }
        // The number of seeds with such writes depends on the number of steps that can interleave.
        #expect(written > Schedules.share(of: 4))
    }

    @Test("it decides once even if a command syncs beside the agent, or the agent is killed")
    func twice() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try group(seed)
            let call = Int.random(in: 100...1500, using: &group.laptop.dice)
            group.addAgent(seed.isMultiple(of: 2) ? .killed(at: call) : nil)
            group.laptop.interleaver.add(nil, group.laptop.commands(6))
            group.addOperations([.sync, .sync, .sync])
            try group.run()
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }

    /// Makes a copy of the laptop with its disk. The copy presses under the laptop's name, and syncs.
    private func clone(_ group: BusyGroup) throws {
        let laptop = group.laptop
        let disk = VirtualDisk(canLosePower: false)
        disk.replace(with: laptop.disk.image())
        let store = try DeviceStore(path: BusyLaptop.home.database, on: .virtual(disk)) {
            ReplicaID(rawValue: 77)
        }
        let device = Device(
            BusyLaptop.home, store, .simulated(laptop.interleaver.otherClocks, name: "copy", seed: 77))
        for goal in 1...3 as ClosedRange<Int64> { _ = try device.perform(.set(.dailyGoal, goal)) }
        laptop.interleaver.add {
            try group.run(.sync, on: device, ProgramLoop(laptop.interleaver), as: group.identity)
        }
        laptop.run()
        group.server.addThreads()
    }

    @Test("presses moved to a branch on returning aren't taken back")
    func branches() throws {
        var branches = 0
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup(seed: seed)
            let laptop = group.laptop
            try clone(group)
            for interaction in [.start(label: "one"), .pause, .resume, .label("two")] as [Interaction] {
                try laptop.press(interaction, on: try laptop.open())
            }
            group.addAgent()
            group.addOperations([.sync])
            group.addOperations([.sync])
            try group.run()
            let store = try laptop.open().store
            branches += try store.ownReplicas().count > 1 ? 1 : 0
            let taken = try store.allStoredEvents().compactMap(\.event)
                .filter { if case .undo = $0.action { true } else { false } }
            #expect(taken == [], "seed \(seed)")
            try group.check()
        }
        #expect(branches == Schedules.share(of: 30))
    }
}
