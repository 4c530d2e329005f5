import FocusClient
import TestSupport
import Testing

@Suite("What an agent tells whoever follows it")
final class AgentNewsTests: AgentObserver {
    private let home = TemporaryHome()
    private let agent: Agent
    private var links = 0

    init() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        agent = Agent(
            try Device(laptop.context), by: { _ in throw NotConnected() }, time: VirtualTime(laptop),
            dice: SeededGenerator(seed: 1))
        agent.observer = self
        try agent.start()
        links = 0
    }

    private struct NotConnected: Error {}

    func say(_ line: String) {}
    func noticed(_ notice: SyncNotice) {}
    func changed(_ what: AgentChange) { if what == .link { links += 1 } }
    func ended() {}

    @Test("that the server has more of what was pressed, once each time, on every connection")
    func sent() {
        for _ in 0..<2 {
            agent.connected([])
            #expect(links == 1, "that it is connected")
            for sent: UInt64 in [0, 3, 3, 3, 4] { agent.settled(SyncTraffic(sent: sent, received: 1)) }
            #expect(links == 3)
            links = 0
        }
    }
}
