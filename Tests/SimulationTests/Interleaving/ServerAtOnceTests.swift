import FocusCore
import FocusDevice
import FocusLink
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A server whose threads take turns", .ends(within: .seconds(180)))
struct ServerAtOnceTests {
    /// The time within which a server that is told to stop must end, in microseconds.
    private static let stopping: Int64 = 20_000_000

    @Test(
        "that is told to stop answers all accepted requests before it ends, in any interleaving of its threads"
    )
    func stopping() throws {
        var acknowledged = 0
        for seed in Schedules.seeds(1...30) {
            let group = try BusyGroup.pressed(seed, elsewhere: 5)
            let laptop = group.laptop
            laptop.leisure = 40_000
            group.addAgent()
            laptop.interleaver.add(nil, laptop.commands(5))
            group.addOperations([.sync, .sync])
            laptop.interleaver.add(as: .remote) {
                let loop = ProgramLoop(laptop.interleaver)
                loop.run(for: .random(in: 20_000...250_000, using: &laptop.dice))
                group.server.stop()
                let hasEnded = loop.poll(every: 10_000, for: ServerAtOnceTests.stopping) {
                    group.server.hasEnded
                }
                group.require(hasEnded, "the server didn't end")
                loop.run(for: 60_000_000)
                group.agent.stop()
                group.require(
                    loop.poll(for: 10_000_000) { !group.agent.isRunning }, "the agent didn't stop")
                group.agent.giveUp()
            }
            laptop.run()
            #expect(group.breaches + group.server.breaches == [], "seed \(seed)")
            try laptop.check()
            try laptop.checkTaken(untold: true)
            try group.checkAcknowledged(try laptop.open().store)
            try group.checkAcknowledged(try group.openOther().store)
            #expect(group.breaches == [], "seed \(seed)")
            acknowledged += group.server.acknowledgements
            group.releaseReferences()
        }
        #expect(acknowledged > Schedules.share(of: 20))
    }
}
