import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import TestSupport
import Testing

@testable import FocusStore

@Suite("An agent when its laptop joins or leaves a group")
struct AgentMembershipTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private let server: StagedServer
    private let device: Device
    private let agent: Agent

    init() throws {
        time = VirtualTime(laptop)
        server = StagedServer(time)
        device = try Device(laptop.machine)
        agent = Agent(device, by: server.routes, time: time, dice: SeededGenerator(seed: 1))
        try agent.start()
    }

    @Test("notices about a group are dropped when the laptop leaves it")
    func left() throws {
        let command = try Device(laptop.machine)
        try server.admit(command)
        agent.poked()
        agent.notice(.cloned)
        agent.poked()
        #expect(agent.notices == [.cloned])
        try command.store.setValue(nil, for: .group)
        agent.poked()
        #expect(agent.notices == [])
        // A connection that never ends would be a leak.
        try server.link.end(.broken(.network("left")))
        time.endTurn()
    }

    @Test("it connects without a poke, also after the group was unreadable at first")
    func unreadable() throws {
        let command = try Device(laptop.machine)
        try server.admit(command)
        try command.store.setValue([1], for: .group)
        agent.poked()
        #expect(server.links.isEmpty)
        // From here on, no other connection changes the store.
        try device.store.setValue(StagedServer.group.bytes, for: .group)
        time.pass(.seconds(6))
        #expect(server.links.count == 1)
    }
}
