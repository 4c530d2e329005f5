import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Commands that go to the server beside the agent", .ends(within: .seconds(180)))
struct OperationsAtOnceTests {
    @Test("presses that the agent and two commands sync at once are on the server once")
    func syncing() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            group.addAgent()
            group.addOperations([.sync, .check, .sync])
            group.addOperations([.sync, .sync])
            group.laptop.interleaver.add(nil, group.laptop.commands(5))
            try group.run()
            #expect(group.failures.isEmpty, "seed \(seed)")
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }

    @Test("if one of the programs is killed, the others go on from there")
    func killed() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            group.addAgent()
            let call = Int.random(in: 1...500, using: &group.laptop.dice)
            group.addOperations([.sync, .sync, .sync], .killed(at: call))
            group.addOperations([.sync])
            group.laptop.interleaver.add(nil, group.laptop.commands(4))
            try group.run()
            try group.check()
            try group.laptop.checkTaken(untold: true)
        }
    }

    @Test("a laptop revoked while others sync and press stays out, and all others get one new key")
    func revoking() throws {
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed)
            let stranger = try GroupStart.identity(99).publicKey.hash()
            group.addAgent()
            group.addOperations([.revoke([stranger]), .sync])
            group.addOperations([.invite(try GroupStart.secret(1000 + seed)), .sync])
            group.laptop.interleaver.add(nil, group.laptop.commands(4))
            try group.run()
            #expect(group.failures.isEmpty, "seed \(seed)")
            try group.check()
            try group.laptop.checkTaken(untold: true)
            let (own, other) = (try group.laptop.open().store, try group.openOther().store)
            #expect(try own.state().rulings[stranger]?.isRevoked == true, "seed \(seed)")
            #expect(try own.epochs().count > 1, "seed \(seed)")
            #expect(try own.epochs().last?.id == other.epochs().last?.id, "seed \(seed)")
        }
    }
}
