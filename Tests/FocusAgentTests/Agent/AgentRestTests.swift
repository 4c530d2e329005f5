import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import TestSupport
import Testing

@Suite("How often an agent wakes")
struct AgentRestTests {
    private let time: VirtualTime
    private let device: Device
    private let agent: Agent

    init() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        time = VirtualTime(laptop)
        device = try Device(laptop.machine)
        agent = Agent(
            device, by: noRoutes, time: time, dice: SeededGenerator(seed: 1))
    }

    @Test("every five seconds while somebody looks, from the moment they do")
    func looking() throws {
        var hasViews = false
        agent.hasViews = { hasViews }
        try agent.start()
        time.pass(.seconds(1))
        hasViews = true
        agent.wakeUp()
        #expect(time.pass(.seconds(60)) == 12)
        hasViews = false
        time.pass(.seconds(5))
        #expect(time.pass(.seconds(60)) == 3)
    }

    @Test("every five seconds while the timer runs, from the press that a command tells it of")
    func running() throws {
        agent.hasViews = { false }
        try agent.start()
        time.pass(.seconds(1))
        _ = try device.perform(.start(label: nil))
        agent.poked()
        #expect(time.pass(.seconds(60)) == 12)
        _ = try device.perform(.pause)
        agent.poked()
        time.pass(.seconds(5))
        #expect(time.pass(.seconds(60)) == 3)
    }

    @Test("frequent pokes don't postpone its regular checks")
    func pokedOften() throws {
        agent.hasViews = { false }
        try agent.start()
        var looks = 0
        for _ in 0..<60 {
            looks += time.pass(.seconds(1))
            agent.poked()
        }
        #expect(looks == 3)
    }
}
