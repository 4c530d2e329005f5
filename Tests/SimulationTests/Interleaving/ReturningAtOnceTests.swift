import FocusClient
import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A laptop that returns while its person presses", .ends(within: .seconds(180)))
struct ReturningAtOnceTests {
    /// A laptop that is cut off for a while, where people press here and at the other one.
    private func group(_ seed: UInt64) throws -> BusyGroup {
        let group = try BusyGroup.pressed(seed, elsewhere: 4)
        group.laptop.leisure = 2_000_000
        group.cutOff(for: .random(in: 1_000_000...8_000_000, using: &group.laptop.dice))
        return group
    }

    @Test("what is decided then is decided once, whatever is pressed meanwhile")
    func returning() throws {
        var written = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            let group = try group(seed)
            group.addAgent()
            group.laptop.interleaver.add(nil, group.laptop.commands(5))
            group.laptop.interleaver.add(nil, group.laptop.page(5))
            try group.run()
            written += group.agent.returns.count { !$0.isEmpty }
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
        #expect(written > 10)
    }

    @Test("nor is it decided twice where a command syncs as the agent does, or the agent is killed")
    func twice() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            let group = try group(seed)
            let call = Int.random(in: 100...1500, using: &group.laptop.dice)
            group.addAgent(seed.isMultiple(of: 2) ? .killed(at: call) : nil)
            group.laptop.interleaver.add(nil, group.laptop.commands(6))
            group.addErrands([.sync, .sync, .sync])
            try group.run()
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }
}
