import ClientSupport
import FocusAgent
import FocusClient
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SystemKit
import TestSupport
import Testing

/// Always returns the greatest number, so that each wait is as long as possible.
private struct LongestWaits: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}

@Suite("An agent whose connection ends")
final class ReconnectingTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private let device: Device
    private let server: StagedServer
    private let agent: Agent
    private let observer = AgentRecorder()
    private let wall: SharedInstant = 1_763_661_600_000

    init() throws {
        laptop.set { $0.sinceBoot = 0 }
        time = VirtualTime(laptop)
        device = try Device(laptop.machine)
        server = StagedServer(time)
        try server.admit(device)
        agent = Agent(
            device, by: server.routes, time: time, dice: LongestWaits(),
            movedServer: MovedServer(SharedServer(device.home)))
        agent.observer = observer
        try agent.start()
    }

    /// Ends the newest link. Returns the time until the agent connects again, in milliseconds.
    private func wait(after end: TransportEnd = .broken(.network("gone"))) throws -> Int64 {
        let count = server.links.count
        let began = time.now()
        try server.link.end(end)
        // 1,000 seconds, which is longer than any wait.
        for _ in 0..<2_000 where server.links.count == count { time.pass(.milliseconds(500)) }
        try #require(server.links.count == count + 1, "it tries once, and no more before that has ended")
        return (try server.link.startedAt - began).inMilliseconds
    }

    private func welcome() throws {
        try server.welcome(at: laptop.context.clocks.wall())
        #expect(agent.recorder.link.state == .online)
    }

    @Test("it waits twice as long each time, and a minute at most")
    func growing() throws {
        #expect(server.links.count == 1)
        #expect(
            try (0..<10).map { _ in try wait() }
                == [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        #expect(agent.recorder.link.state == .connecting)
    }

    @Test("an answer shows that a server has moved only if its connection began after the end here")
    func moved() throws {
        let shared = SharedServer(device.home)
        try NewFile.makeFolders(shared.data)
        let key = try IdentityFile(path: "\(shared.data)/identity.pem").loadOrCreate().keyHash
        try device.store.setServerPin(ServerPin(key))
        try shared.store(SharedServer.Record(port: 1, isOn: true, isMoving: true))
        _ = try wait()
        try shared.store(SharedServer.Record(port: 1, isOn: false, isMoving: true))
        try welcome()
        #expect(shared.record?.hasMoved == false)
        _ = try wait()
        try welcome()
        #expect(shared.record?.hasMoved == true)
    }

    @Test("after a welcome it begins with short waits again")
    func anew() throws {
        for _ in 0..<6 { _ = try wait() }
        try welcome()
        #expect(try wait() == 500)
        #expect(try wait() == 1_000)
        try welcome()
        #expect(try wait(after: .closed) == 500)
    }

    @Test("a server that closes without a welcome is retried after ever longer waits")
    func notLetIn() throws {
        let waits = try (0..<5).map { _ in
            try server.link.open()
            return try wait(after: .closed)
        }
        #expect(waits == [500, 1_000, 2_000, 4_000, 8_000])
    }

    @Test("it waits for as long as the server asks, and up to half as long more")
    func asked() throws {
        try server.link.open()
        let began = time.now()
        try server.link.sendToLaptop(.error(Refusal(.busy, "it is busy", retry: .after(30_000))))
        time.pass(.seconds(44))
        #expect(server.links.count == 1)
        time.pass(.seconds(2))
        #expect(server.links.count == 2)
        #expect(try server.link.startedAt - began == .seconds(45))
        // The wait that the server asked for applies only once.
        #expect(try wait() == 1_000)
    }

    @Test(
        "once a command has reached the server, it connects at once, even if it was asked to wait longer"
    )
    func reachedByCommand() throws {
        try welcome()
        let forever = Refusal(.busy, "it is busy", retry: .after(.seconds(3_600)))
        try server.link.sendToLaptop(.error(forever))
        try server.link.end(.closed)
        agent.poked()
        time.pass(.seconds(60))
        #expect(server.links.count == 1, "that a command has pressed something is no news of the server")
        try Device(laptop.machine).recordContact()
        agent.poked()
        #expect(server.links.count == 2)
        try welcome()

        // Without a command, the agent waits for at most 15 minutes.
        try server.link.sendToLaptop(.error(forever))
        let began = time.now()
        try server.link.end(.closed)
        for _ in 0..<2_000 where server.links.count == 2 { time.pass(.seconds(1)) }
        #expect(try server.link.startedAt - began == .seconds(15 * 60))
    }

    @Test(
        "after a busy or failing server it begins with the next address, and later with the first again"
    )
    func nextAddress() throws {
        server.ways = 3
        _ = try wait()
        for code in [RefusalCode.busy, .internal, .noRoom, .shuttingDown] {
            try server.link.open()
            try server.link.sendToLaptop(.error(Refusal(code, "not now", retry: .after(.zero))))
            _ = try wait(after: .closed)
        }
        #expect(server.tried == [0, 0, 1, 2, 0, 1])
        // Any other end doesn't count against the best address.
        try welcome()
        _ = try wait()
        #expect(server.tried.last == 0)
        try server.link.open()
        try server.link.sendToLaptop(.error(Refusal(.rate, "too much", retry: .after(.zero))))
        _ = try wait(after: .closed)
        #expect(server.tried.last == 0)
    }

    @Test(
        "being shut out by the server is news, unless a command leaves the group", arguments: [true, false])
    func leaving(byCommand: Bool) throws {
        try welcome()
        if byCommand { try Device(laptop.machine).writeLeaving() }
        try server.link.sendToLaptop(.error(Refusal(.revoked, "shut out")))
        try server.link.end(.closed)
        #expect(observer.offline.count == (byCommand ? 0 : 1))
        #expect(observer.obstacles == (byCommand ? [] : [.revoked]))
    }

    @Test("an obstacle that needs a person is reported once, and recorded until a welcome")
    func obstacle() throws {
        _ = try wait()
        #expect(try device.obstacle() == .unreachable)
        #expect(observer.obstacles.isEmpty)
        for _ in 0..<2 {
            try server.link.open()
            try server.link.sendToLaptop(.error(Refusal(.unknownDevice, "who is that")))
            _ = try wait(after: .closed)
            _ = try wait()
            #expect(try device.obstacle() == .unknownDevice)
            #expect(try DeviceStatus(device).connection == .offline, "also as it tries again")
        }
        #expect(observer.obstacles == [.unknownDevice])
        try welcome()
        #expect(try device.obstacle() == nil)
        #expect(try DeviceStatus(device).connection == .online)
        _ = try wait(after: .otherServer("server.example"))
        #expect(observer.obstacles == [.unknownDevice, .otherKey])
    }

    @Test("a machine that wakes begins with the best address") func bestAddress() throws {
        server.ways = 2
        _ = try wait()
        try server.link.open()
        try server.link.sendToLaptop(.error(Refusal(.busy, "it is busy", retry: .after(.zero))))
        time.doze(.seconds(600))
        time.pass(.seconds(6))
        // The second address is tried in parallel, because the best one doesn't answer.
        #expect(server.tried == [0, 0, 0, 1])
    }

    @Test("a machine that wakes tries at once, and begins with short waits")
    func waking() throws {
        for _ in 0..<8 { _ = try wait() }
        try server.link.end(.broken(.network("gone")))
        let count = server.links.count
        time.doze(.seconds(600))
        time.pass(.seconds(6))
        #expect(server.links.count == count + 1)
        #expect(try wait() == 500)
    }

    @Test("an agent that stops while it connects gives up connecting, ends once, and doesn't retry")
    func stoppedConnecting() throws {
        agent.stop()
        agent.stop()
        #expect(try server.link.isClosedByLaptop)
        #expect(observer.ends == 0)
        time.endTurn()
        #expect(observer.ends == 1)
        time.pass(.seconds(600))
        #expect(observer.ends == 1)
        #expect(server.links.count == 1)
        #expect(time.alarms == 0)
    }

    @Test("an agent that stops between two attempts ends at once, and doesn't retry")
    func stoppedWaiting() throws {
        for _ in 0..<4 { _ = try wait() }
        try server.link.end(.broken(.network("gone")))
        let count = server.links.count
        agent.stop()
        #expect(observer.ends == 1)
        #expect(time.alarms == 0)
        time.pass(.seconds(600))
        #expect(observer.ends == 1)
        #expect(server.links.count == count)
        #expect(time.alarms == 0)
    }

    @Test(
        "a connected agent says goodbye when it stops, and waits at most two seconds for its arrival",
        arguments: [false, true])
    func stopped(hidesEnd: Bool) throws {
        try welcome()
        try server.link.hidesEnd = hidesEnd
        agent.stop()
        #expect(try server.link.sent.last == .bye)
        time.pass(.milliseconds(1_999))
        #expect(observer.ends == (hidesEnd ? 0 : 1))
        time.pass(.milliseconds(1))
        #expect(observer.ends == 1)
        #expect(server.links.count == 1)
        #expect(agent.recorder.link.state == .offline)
    }
}
