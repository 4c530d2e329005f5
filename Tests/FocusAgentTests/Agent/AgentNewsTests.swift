import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("What an agent knows of its server and group")
struct AgentNewsTests {
    private let recorder = AgentRecorder()
    private let time: VirtualTime
    private let agent: Agent

    init() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        time = VirtualTime(laptop)
        agent = Agent(
            try Device(laptop.machine), by: noRoutes, time: time,
            dice: SeededGenerator(seed: 1))
        agent.observer = recorder
        try agent.start()
    }

    @Test("an acknowledgement of the server is reported at once")
    func sent() {
        agent.connected([])
        #expect(recorder.linkChanges == 1, "that it is connected")
        agent.acknowledged()
        #expect(recorder.linkChanges == 2)
        agent.becameIdle(SyncTraffic(sent: 1, received: 0))
        #expect(recorder.linkChanges == 2, "nothing is news about that")
    }

    @Test("of the devices that a server invents, the agent keeps no more than a group may have")
    func bounded() throws {
        var random = SeededGenerator(seed: 1)
        func devices(_ count: Int) throws -> [Presence] {
            try (0..<count).map { _ in
                let bytes = (0..<Digest.length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
                return Presence(device: try #require(Digest(bytes: bytes)), isConnected: true, lastSeen: 0)
            }
        }
        let first = try devices(3)
        agent.presenceChanged(first)
        for _ in 0..<3 { agent.presenceChanged(try devices(Limits.devices)) }
        #expect(agent.recorder.link.online.count == Limits.devices)
        // A device that leaves makes room for another.
        agent.presenceChanged([Presence(device: first[0].device, isConnected: false, lastSeen: 0)])
        agent.presenceChanged(try devices(2))
        #expect(agent.recorder.link.online.count == Limits.devices)
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

    @Test("a notice is dropped after a day, or when it is about the server's clock and that is right again")
    func oldNotices() {
        for notice in [SyncNotice.cloned, .clockJumped(by: .seconds(3_600)), .clockNotSure] {
            agent.notice(notice)
        }
        agent.clockLearnt(ClockEstimate(offset: .milliseconds(1_763_661_600_000)))
        #expect(agent.notices == [.cloned])
        // It doesn't look for changes any more, which would take long.
        agent.stop()
        time.pass(.seconds(86_399))
        #expect(agent.notices == [.cloned])
        time.pass(.seconds(1))
        #expect(agent.notices == [])
    }
}
