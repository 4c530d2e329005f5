import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("An agent's reports to its observer")
struct AgentNewsTests {
    private let home = TemporaryHome()
    private let follower = Follower()
    private let agent: Agent

    init() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        agent = Agent(
            try Device(laptop.machine), by: { _, _ in throw NotConnected() }, time: VirtualTime(laptop),
            dice: SeededGenerator(seed: 1))
        agent.observer = follower
        try agent.start()
    }

    private struct NotConnected: Error {}

    /// Counts the changes of the connection's state.
    private final class Follower: AgentObserver {
        var links = 0

        func say(_ event: AgentLogEvent) {}
        func noticed(_ notice: SyncNotice) {}
        func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
        func changed(_ what: AgentChange) { if what == .link { links += 1 } }
        func ended() {}
    }

    @Test("an acknowledgement of the server is reported at once")
    func sent() {
        agent.connected([])
        #expect(follower.links == 1, "that it is connected")
        agent.acknowledged()
        #expect(follower.links == 2)
        agent.becameIdle(SyncTraffic(sent: 1, received: 0))
        #expect(follower.links == 2, "nothing is news about that")
    }

    @Test("the reason why an upload stopped stays until the server has all changes") func refusal() throws {
        agent.notice(.stopped(.noRoom))
        agent.notice(.cloned)
        _ = try agent.device.perform(.start(label: nil))
        agent.acknowledged()
        #expect(agent.notices == [.stopped(.noRoom), .cloned], "a press waits")
        for replica in try agent.device.store.replicas() {
            try agent.device.store.acknowledge(replica.id, through: replica.seq)
        }
        agent.acknowledged()
        #expect(agent.notices == [.cloned])
    }
}
