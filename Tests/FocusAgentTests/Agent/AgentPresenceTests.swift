import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import FocusSync
import TestSupport
import Testing

@Suite("The devices that the agent takes to be connected")
struct AgentPresenceTests {
    private let home = TemporaryHome()

    private struct Failure: Error {}

    @Test("of the devices that a server invents, the agent keeps no more than a group may have")
    func bounded() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        var random = SeededGenerator(seed: 1)
        let agent = Agent(
            try Device(laptop.machine), by: { _, _ in throw Failure() }, time: VirtualTime(laptop),
            dice: SeededGenerator(seed: 1))
        func devices(_ count: Int) throws -> [Presence] {
            try (0..<count).map { _ in
                let bytes = (0..<Digest.length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
                return Presence(device: try #require(Digest(bytes: bytes)), isConnected: true, lastSeen: 0)
            }
        }
        let first = try devices(3)
        agent.presenceChanged(first)
        for _ in 0..<3 { agent.presenceChanged(try devices(Limits.devices)) }
        #expect(agent.link.online.count == Limits.devices)
        // A device that leaves makes room for another.
        agent.presenceChanged([Presence(device: first[0].device, isConnected: false, lastSeen: 0)])
        agent.presenceChanged(try devices(2))
        #expect(agent.link.online.count == Limits.devices)
    }
}
