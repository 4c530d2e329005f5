import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A laptop that leaves or joins a group beside its agent", .ends(within: .seconds(180)))
struct BelongingAtOnceTests {
    /// Leaves the group, as `focus leave` does, with or without telling the server first.
    private func leave(_ group: BusyGroup, saying goodbye: Bool) throws {
        let loop = ProgramLoop(group.laptop.interleaver)
        let device = try group.laptop.open()
        if goodbye { _ = try? group.run(.leave, on: device, loop) }
        guard !group.laptop.interleaver.isCurrentKilled else { return }
        _ = try device.leave()
        guard !group.laptop.interleaver.isCurrentKilled else { return }
        group.identity = try GroupStart.identity(3)
        group.agent.poke()
    }

    /// Joins the group again, with another key, by an invite of the other laptop.
    private func join(_ group: BusyGroup, _ choice: SoloHistory.Choice) throws {
        let loop = ProgramLoop(group.laptop.interleaver)
        let invite = try group.invite(by: try group.openOther(), loop, as: group.otherIdentity)
        try group.run(.join(invite, name: nil, choice), on: try group.laptop.open(), loop)
        group.agent.poke()
    }

    /// Returns descriptions of all data of a former group that is left on a laptop.
    private func remains(_ store: DeviceStore) throws -> [String] {
        let own = Set(try store.ownReplicas())
        let foreign = Set(try store.replicas().filter { $0.seq > 0 }.map(\.id)).subtracting(own)
        var remains = foreign.map { "events of \($0)" }
        remains += try store.devices().map { "the device \($0.key)" }
        remains += try store.epochs().map { "the key of \($0.id)" }
        remains += try store.epochRecords().map { "the record of \($0.epoch)" }
        if try store.serverPin() != nil { remains.append("its server") }
        return remains
    }

    @Test("nothing of a left group comes in any more, even if the agent is in the middle of syncing")
    func leaving() throws {
        for seed in Schedules.seeds(1...45) {
            let group = try BusyGroup.pressed(seed)
            let laptop = group.laptop
            // With these pauses the laptop mostly leaves while the agent connects to the server.
            laptop.leisure = [30_000, 60_000, 300_000].randomElement(using: &laptop.dice) ?? 0
            group.addAgent()
            laptop.interleaver.add(nil, laptop.commands(3))
            laptop.interleaver.add {
                laptop.wait()
                try leave(group, saying: seed.isMultiple(of: 3))
            }
            try group.run()
            let left = try remains(try laptop.open().store)
            #expect(left == [], "seed \(seed)")
            try group.check()
        }
    }

    @Test("a laptop that leaves and returns with another key has everything that the group has")
    func comingBack() throws {
        for seed in Schedules.seeds(1...24) {
            let group = try BusyGroup.pressed(seed)
            let laptop = group.laptop
            group.addAgent()
            laptop.interleaver.add(nil, laptop.commands(3))
            laptop.interleaver.add {
                laptop.wait()
                try leave(group, saying: seed.isMultiple(of: 2))
                laptop.wait()
                try join(group, seed.isMultiple(of: 3) ? .leaveBehind : .takeAlong)
            }
            try group.run()
            #expect(try laptop.open().store.group() != nil, "seed \(seed)")
            try group.check()
        }
    }
}
