import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusClient

@Suite("How long an agent waits before it connects again")
struct AgentBackoffTests {
    private let home = TemporaryHome()
    private let group = GroupID(high: 1, low: 2)
    private let time: VirtualTime
    private let agent: Agent
    private let attempts = Attempts()

    /// The ways to a server that the test answers for.
    private final class Attempts {
        var count = 0
        let server = SilentServer()
    }

    /// Waits are as long as they may be.
    private struct Longest: RandomNumberGenerator {
        func next() -> UInt64 { .max }
    }

    init() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.context)
        let key = try EpochKey(SecretBytes(Array(0..<32)))
        try device.store.enter(group, StoredEpoch(id: key.epoch, key: Array(0..<32), predecessor: nil))
        try device.store.setText("focus.example.org", for: .servers)
        try device.store.setServerPin(ServerPin(Digest(InlineArray(repeating: 3))))
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        let attempts = attempts
        time = VirtualTime(laptop)
        agent = Agent(
            device,
            by: { _ in
                let route: SyncRoute = { _ in
                    attempts.count += 1
                    return attempts.server
                }
                return Approach(try DeviceSecrets(own), routes: [route])
            }, time: time, dice: Longest())
        try agent.start()
    }

    /// Whether the agent connects again after so many milliseconds, and not before.
    private func waits(_ milliseconds: Int64) -> Bool {
        let before = attempts.count
        time.pass(.milliseconds(milliseconds - 1))
        guard attempts.count == before else { return false }
        time.pass(.milliseconds(1))
        return attempts.count == before + 1
    }

    /// A connection that breaks before the server has let the laptop in.
    private func breakOff() throws {
        let driver = try #require(agent.driver)
        driver.opened(byServer: Digest(InlineArray(repeating: 3)))
        driver.closed(.closed)
    }

    @Test("it doubles while no server lets it in, and begins anew after a welcome") func doubling() throws {
        #expect(attempts.count == 1)
        for wait: Int64 in [500, 1_000, 2_000, 4_000] {
            try breakOff()
            #expect(waits(wait))
        }
        let driver = try #require(agent.driver)
        driver.opened(byServer: Digest(InlineArray(repeating: 3)))
        driver.received(SyncDriver.welcome(to: group))
        #expect(agent.isConnected)
        driver.closed(.closed)
        #expect(!agent.isConnected)
        #expect(waits(500))
        try breakOff()
        #expect(waits(1_000))
        agent.stop()
    }

    @Test("a server's time to wait is kept to, with up to half as long on top, and forgotten after a welcome")
    func patience() throws {
        let driver = try #require(agent.driver)
        driver.opened(byServer: Digest(InlineArray(repeating: 3)))
        driver.received(SyncDriver.welcome(to: group))
        let refusal = Refusal(.shuttingDown, "back soon", retry: .after(8_000))
        driver.received(Message.error(refusal).encoded())
        agent.driver?.closed(.closed)
        #expect(waits(12_000))
        let next = try #require(agent.driver)
        next.opened(byServer: Digest(InlineArray(repeating: 3)))
        next.received(SyncDriver.welcome(to: group))
        next.closed(.closed)
        #expect(waits(500))
        agent.stop()
    }
}
