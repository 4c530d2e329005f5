import ClientSupport
import CommandLineKit
import FocusCore
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusAgent
@testable import FocusClient
@testable import FocusDevice
@testable import FocusLink

@Suite("The agent of a laptop in a group, on waking")
final class WakingInGroupTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let time: VirtualTime
    private let device: Device
    private let server: StagedServer
    private let other: StagedLaptop
    private let agent: Agent
    private let heard = AgentRecorder()
    /// The hash of the other laptop's key.
    private let otherKey = Digest(InlineArray(repeating: 7))

    /// Connects the laptop, and lets ten minutes of a session pass that all devices know of.
    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        laptop.set { $0.sinceBoot = 0 }
        time = VirtualTime(laptop)
        device = try Device(laptop.machine)
        server = StagedServer(time)
        try server.admit(device)
        other = try StagedLaptop(server)
        agent = Agent(device, by: server.routes, time: time, dice: SeededGenerator(seed: 1))
        agent.observer = heard
        try agent.start()
        try welcome()
        #expect(laptop.run("start Work").status == .done)
        agent.poked()
        try server.acknowledge(device)
        pass(.seconds(600))
        #expect(try device.store.pendingCount() == 0)
    }

    private var wall: SharedInstant { laptop.context.clocks.wall() }
    private var status: String { laptop.run("status").output }

    private var run: RunID {
        get throws { try #require(try device.store.state().current).id }
    }

    /// The replica that wrote each pause in the log.
    private var pauses: [ReplicaID] {
        get throws {
            let events = try device.store.allStoredEvents().compactMap(\.event)
            return events.compactMap { if case .pause = $0.action { $0.id.replica } else { nil } }
        }
    }

    /// Lets time pass. The server sends a message every 20 seconds.
    private func pass(_ duration: Duration) {
        var left = duration
        while left > .zero {
            if let link = server.links.last, agent.connection.isConnected { link.sendToLaptop(.presence([])) }
            time.pass(min(left, .seconds(20)))
            left -= .seconds(20)
        }
    }

    /// Welcomes the laptop on its newest link, and pushes the segments that it lacks.
    private func welcome(_ segments: [Segment] = []) throws {
        server.vector = VersionVector(try server.vector.heads.merging(other.heads.heads) { $1 })
        try server.welcome(at: wall)
        for segment in segments { try server.link.sendToLaptop(.push(segment)) }
    }

    /// Suspends the laptop for half an hour, and lets the agent notice that. Returns the segment with the
    /// other laptop's press; empty if there is no press.
    ///
    /// - Parameter press: The other laptop's action, and the seconds from falling asleep to that press.
    private func doze(_ press: (action: Action, after: Int64)? = nil) throws -> [Segment] {
        let asleep = wall
        time.doze(.seconds(1_800))
        let segment = try press.map { try other.press($0.action, at: asleep + seconds($0.after)) }
        time.pass(.seconds(7))
        return segment.map { [$0] } ?? []
    }

    /// Sets the other laptop's presence. `lastSeen` is relative to the current instant.
    private func otherWas(_ connected: Bool, lastSeen: Duration) {
        server.presence = [Presence(device: otherKey, isConnected: connected, lastSeen: wall + lastSeen)]
    }

    @Test("waits for the server, and pauses as of falling asleep if no other laptop was connected")
    func gone() throws {
        otherWas(false, lastSeen: .zero - minutes(5))
        _ = try doze()
        #expect(!agent.mayReportHappenings())
        #expect(try pauses.isEmpty)
        try welcome()
        #expect(heard.deeds.count == 1)
        #expect(status.hasPrefix("Work paused  15:0"), "\(status)")
        #expect(try pauses.count == 1)
        #expect(agent.mayReportHappenings())
        pass(.seconds(120))
        #expect(try pauses.count == 1)
    }

    @Test("connects at once if its connection ends before it has noticed the suspension, and decides then")
    func endedFirst() throws {
        otherWas(false, lastSeen: .zero - minutes(5))
        time.doze(.seconds(1_800))
        let count = server.links.count
        try server.link.end(.closed)
        #expect(server.links.count == count + 1)
        #expect(try pauses.isEmpty)
        try welcome()
        #expect(heard.deeds.count == 1)
        #expect(try pauses.count == 1)
    }

    @Test("asks about time away, but no more once it hears that another laptop pressed meanwhile")
    func pressedWhileAway() throws {
        let left = wall
        agent.record(.absent(for: .zero))
        pass(.seconds(1_200))
        let segment = try other.press(.label(try run, text: "There", at: nil), at: left + seconds(600))
        agent.record(.present)
        #expect(try device.absenceQuestion() != nil)
        try server.link.sendToLaptop(.push(segment))
        #expect(try device.absenceQuestion() == nil)
        #expect(laptop.run("idle drop").status == .notNow)
        #expect(try pauses.isEmpty)
    }

    @Test("leaves the session running if another laptop pressed meanwhile")
    func pressedMeanwhile() throws {
        let presses = try doze((.label(try run, text: "Theirs", at: nil), after: 600))
        #expect(!agent.mayReportHappenings())
        try welcome(presses)
        #expect(try pauses.isEmpty)
        #expect(heard.deeds == [])
        #expect(agent.mayReportHappenings())
        #expect(try device.store.state().current?.label == "Theirs")
        #expect(status.hasPrefix("Work  14:5"), "\(status)")
    }

    @Test("leaves the session running if another laptop was connected and pressed nothing")
    func connectedMeanwhile() throws {
        otherWas(true, lastSeen: 0)
        _ = try doze()
        try welcome()
        #expect(try pauses.isEmpty)
        #expect(heard.deeds == [])
        #expect(status.hasPrefix("Work  14:5"), "\(status)")
    }

    @Test(
        "leaves another laptop's pause as it is, even right after falling asleep",
        arguments: [1, 60, 600] as [Int64])
    func pausedByOther(after: Int64) throws {
        let presses = try doze((.pause(try run, at: nil), after: after))
        try welcome(presses)
        #expect(try pauses == [StagedLaptop.replica])
        #expect(heard.deeds == [])
        let left: Duration = minutes(15) - seconds(after)
        let shown = try NaiveState(device.store.history().state, device.store.history().journal, at: wall)
        #expect(shown.statusLabel == "Work paused")
        #expect(shown.remaining == left)
    }

    @Test(
        "without its server pauses after a minute, and keeps the pause if no other laptop was there"
    )
    func offline() throws {
        otherWas(false, lastSeen: .zero - minutes(5))
        _ = try doze()
        time.pass(.seconds(40))
        #expect(try pauses.isEmpty)
        time.pass(.seconds(30))
        #expect(try pauses.count == 1)
        #expect(heard.deeds.count == 1)
        #expect(agent.mayReportHappenings())
        try welcome()
        #expect(heard.deeds.count == 1)
        #expect(status.hasPrefix("Work paused  15:0"), "\(status)")
        #expect(try device.store.storedSuspensions() == [], "nothing is left to be decided")
    }

    @Test("takes back a pause made without its server if another laptop pressed meanwhile")
    func offlineThenPressed() throws {
        let presses = try doze((.label(try run, text: "Theirs", at: nil), after: 600))
        time.pass(.seconds(70))
        #expect(try pauses.count == 1)
        try welcome(presses)
        #expect(heard.deeds.last == .tookBack)
        #expect(heard.deeds.count == 2)
        #expect(!status.contains("paused"), "\(status)")
        #expect(try device.store.state().current?.label == "Theirs")
        #expect(try device.store.storedSuspensions() == [])
    }

    @Test(
        "takes back a pause made without its server if another laptop was connected, even after it moved to a branch",
        arguments: [false, true])
    func offlineThenConnected(isMoved: Bool) throws {
        otherWas(true, lastSeen: 0)
        _ = try doze()
        time.pass(.seconds(70))
        let replica = try #require(try pauses.first)
        if isMoved {
            let log = try #require(try SealedLog(device.store))
            let last = try log.vector()[replica].seq
            #expect(try log.moveTail(of: replica, from: last) == 1)
        }
        try welcome()
        #expect(heard.deeds.last == .tookBack)
        #expect(!status.contains("paused"), "\(status)")
        #expect(try device.store.storedSuspensions() == [])
    }

    @Test("without its server leaves the decision to a press on this laptop")
    func pressedHere() throws {
        let presses = try doze((.label(try run, text: "Theirs", at: nil), after: 600))
        #expect(laptop.run("pause").status == .done)
        agent.poked()
        #expect(try pauses.count == 1)
        time.pass(.seconds(70))
        #expect(try pauses.count == 1)
        try welcome(presses)
        #expect(heard.deeds.filter { $0 != .tookBack } == [])
        #expect(try device.store.storedSuspensions() == [])
    }
}
