import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("An agent beside commands and a page", .ends(within: .seconds(180)))
struct AgentAtOnceTests {

    @Test("presses during a sync are taken once, reach all laptops, and are told to followers")
    func pressing() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            group.addAgent()
            group.laptop.interleaver.add(nil, group.laptop.commands(4))
            group.laptop.interleaver.add(nil, group.laptop.page(4))
            try group.run()
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }

    @Test("an agent that is killed at any point is started again, and goes on from there")
    func killed() throws {
        var restarts = 0
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            group.addAgent(.killed(at: .random(in: 1...900, using: &group.laptop.dice)))
            group.laptop.interleaver.add(nil, group.laptop.commands(4))
            group.laptop.interleaver.add(nil, group.laptop.page(4))
            try group.run()
            restarts += group.agent.starts > 1 ? 1 : 0
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
        #expect(restarts > Schedules.share(of: 15))
    }

    @Test("after a loss of power, presses that were taken are there and reach all laptops")
    func power() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            group.laptop.interleaver.losePower(at: .random(in: 1...1500, using: &group.laptop.dice))
            group.addAgent()
            group.laptop.interleaver.add(nil, group.laptop.commands(4))
            group.laptop.interleaver.add(nil, group.laptop.page(4))
            try group.run()
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }

    @Test(
        "an agent that found the log busy for too long goes on by itself, and tells its followers of everything"
    )
    func busy() throws {
        var failures = 0
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            let laptop = group.laptop
            laptop.mayBeBusy = true
            group.addAgent()
            let call = Int.random(in: 1...40, using: &laptop.dice)
            let time = Int64.random(in: 35...120, using: &laptop.dice) * 1_000_000
            laptop.interleaver.add(.heldWriting(at: call, for: time), laptop.commands(6))
            if seed.isMultiple(of: 2) {
                let call = Int.random(in: 1...250, using: &laptop.dice)
                laptop.interleaver.add(.killed(at: call), laptop.commands(6))
            }
            laptop.interleaver.add(nil, laptop.commands(3))
            try group.run()
            failures += group.agent.troubles
            try group.check()
            try laptop.checkTaken(untold: true)
        }
        #expect(failures > 5)
    }

    @Test("an agent that was stopped for minutes continues with the others' changes")
    func held() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            group.laptop.mayBeBusy = true
            let call = Int.random(in: 1...300, using: &group.laptop.dice)
            group.addAgent(.held(at: call, for: 200_000_000))
            group.laptop.interleaver.add(nil, group.laptop.commands(5))
            try group.run()
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }
}
