import ClientSupport
import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink
@testable import FocusStore

/// One connection, from its start to its end, with a server that the test plays.
@Suite("A connection to the server")
struct SyncDriverTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let time: VirtualTime
    private let device: Device
    private let server: StagedServer
    private let observer = NoticeListener()
    private let wall: SharedInstant = 1_763_661_600_000

    init() throws {
        laptop = TestContext(home: home.path, now: wall)
        laptop.set { $0.sinceBoot = 0 }
        time = VirtualTime(laptop)
        device = try Device(laptop.machine)
        server = StagedServer(time)
        try server.admit(device)
    }

    private func driver(_ routes: [Route]? = nil, _ observer: NoticeListener? = nil) throws -> SyncDriver {
        try SyncDriver(
            .sync(try #require(try SealedLog(device.store))), by: routes ?? [server.route],
            secrets: DeviceSecrets(TestGroup.device(), random: Platform.process.random),
            pace: .afterAWhile, store: device.store,
            clock: device.clock().estimate, time: time, observer: observer ?? self.observer)
    }

    /// Returns the seqs of the laptop's events that were uploaded on the newest link.
    private func uploaded() throws -> [ClosedRange<UInt64>] {
        try server.link.sent.compactMap { message in
            if case .upload(let segment) = message { segment.firstSeq...segment.lastSeq } else { nil }
        }
    }

    /// Expects that the connection has ended like this, and that no alarm is left.
    private func expectEnd(_ end: SyncEnd, sourceLocation: SourceLocation = #_sourceLocation) {
        time.endTurn()
        #expect(observer.end == end, sourceLocation: sourceLocation)
        #expect(time.alarms == 0, sourceLocation: sourceLocation)
    }

    @Test(
        "an address that swallows packets holds nobody up: the next is tried beside it, and the first there is taken"
    )
    func swallowed() throws {
        let driver = try driver([server.route, server.route, server.route])
        driver.start()
        time.pass(.milliseconds(249))
        #expect(server.links.count == 1)
        time.pass(.milliseconds(1))
        #expect(server.links.count == 2)
        try server.welcome(at: wall)
        #expect(driver.isConnected && server.links[0].isClosedByLaptop)
        time.pass(.seconds(1))
        // The other attempts are given up. Their results change nothing.
        #expect(server.links.count == 2 && server.links[0].isClosedForLaptop && observer.end == nil)
        server.links[0].open()
        #expect(driver.isConnected && observer.end == nil)
        try server.link.end(.broken(.network("it is gone")))
        expectEnd(.broken(.network("it is gone")))
    }

    @Test(
        "an address that fails makes way for the next at once, and none is the last while another is under way"
    )
    func failing() throws {
        let driver = try driver([server.route, server.route, server.route])
        driver.start()
        time.pass(.milliseconds(250))
        server.links[0].end(.broken(.network("refused")))
        #expect(server.links.count == 3)
        server.links[2].end(.broken(.network("refused, too")))
        #expect(observer.end == nil)
        server.links[1].end(.otherServer("elsewhere"))
        expectEnd(.otherServer("elsewhere"))
    }

    @Test("who stops while several addresses are tried hears of the end once all are given up")
    func stoppedSeeking() throws {
        let driver = try driver([server.route, server.route, server.route])
        driver.start()
        time.pass(.milliseconds(250))
        driver.leave()
        #expect(observer.end == nil)
        time.pass(.seconds(1))
        #expect(server.links.count == 2)
        expectEnd(.closed(.finished))
    }

    @Test("where no address is known, that is the end")
    func noAddress() throws {
        try driver([]).start()
        expectEnd(.unreachable(.noAddress))
    }

    @Test(
        "what is said of the devices goes by the log as the server is reached, not as the first address was tried"
    )
    func devicesOnceReached() throws {
        let others = try [0xAA, 0xBB].map { byte in
            try #require(Digest(bytes: Array(repeating: UInt8(byte), count: 32)))
        }
        try device.store.upsert(others.map { RosterEntry(device: $0, isRevoked: true) })
        let driver = try driver([server.route, server.route])
        driver.start()
        try server.link.end(.broken(.network("nobody answers")))
        try device.readmit(others[0])
        try server.welcome(at: wall)
        let listed = try server.link.sent.flatMap { message in
            if case .request(_, .roster(let entries)) = message { entries } else { [RosterEntry]() }
        }
        #expect(listed.contains(RosterEntry(device: others[1], isRevoked: true)))
        #expect(!listed.contains { $0.device == others[0] })
    }

    @Test(
        "one address after the other is tried, and the last one's problem is told, or that another server is at one",
        arguments: [false, true])
    func addresses(hasOther: Bool) throws {
        let driver = try driver([server.route, server.route, server.route])
        driver.start()
        try server.link.end(.broken(.network("nobody answers")))
        try server.link.end(hasOther ? .otherServer("elsewhere") : .broken(.network("nobody there")))
        #expect(observer.end == nil)
        try server.link.end(.broken(.network("nobody here either")))
        #expect(server.links.count == 3)
        expectEnd(hasOther ? .otherServer("elsewhere") : .unreachable(.network("nobody here either")))
    }

    @Test("where another server is at one address, and the group's at the next, all is well")
    func otherServerFirst() throws {
        let driver = try driver([server.route, server.route])
        driver.start()
        try server.link.end(.otherServer("elsewhere"))
        try server.welcome(at: wall)
        #expect(driver.isConnected && observer.end == nil)
    }

    @Test(
        "a link that was there and breaks is the end, whatever other address there is",
        arguments: [false, true])
    func broken(isWelcomed: Bool) throws {
        let driver = try driver([server.route, server.route])
        driver.start()
        if isWelcomed { try server.welcome(at: wall) } else { try server.link.open() }
        #expect(driver.isConnected == isWelcomed)
        try server.link.end(.broken(.network("it is gone")))
        #expect(server.links.count == 1)
        expectEnd(.broken(.network("it is gone")))
    }

    @Test("a server that hangs up without a word is told of")
    func hungUp() throws {
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        try server.link.end(.closed)
        expectEnd(.broken(.closedByServer))
    }

    @Test("a server that goes silent is given up, and one that speaks isn't")
    func silence() throws {
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        for _ in 0..<10 {
            time.pass(.seconds(30))
            try server.link.sendToLaptop(.presence([]))
        }
        #expect(observer.end == nil)
        time.pass(.seconds(44))
        #expect(observer.end == nil)
        time.pass(.seconds(2))
        #expect(try server.link.isClosedByLaptop)
        expectEnd(.closed(.silence))
    }

    @Test("what is pressed is sent as the log changes, and none of it twice")
    func pressing() throws {
        _ = try device.perform(.start(label: nil))
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        let first = try #require(try uploaded().last).upperBound
        #expect(try uploaded() == [1...first])
        driver.sendChanges()
        #expect(try uploaded() == [1...first])
        try server.acknowledge(device)
        #expect(driver.unacknowledged == 0)
        _ = try device.perform(.pause)
        driver.sendChanges()
        driver.sendChanges()
        #expect(try uploaded() == [1...first, first + 1...first + 1])
        #expect(driver.unacknowledged == 1)
        try server.acknowledge(device)
        #expect(driver.unacknowledged == 0)
        #expect(observer.end == nil)
        withExtendedLifetime(driver) {}
    }

    @Test("what is pressed before the welcome is sent after it")
    func pressedEarly() throws {
        let driver = try driver()
        driver.start()
        _ = try device.perform(.start(label: nil))
        driver.sendChanges()
        try server.link.open()
        _ = try device.perform(.pause)
        driver.sendChanges()
        #expect(try uploaded().isEmpty)
        try server.welcome(at: wall)
        #expect(try uploaded().reduce(0) { $0 + $1.count } == Int(driver.unacknowledged))
        #expect(driver.unacknowledged >= 2)
        withExtendedLifetime(driver) {}
    }

    @Test("of a link that ends in the middle of a message nothing is taken, and the next one brings it whole")
    func midway() throws {
        let other = try StagedLaptop(server)
        let segment = try other.press(
            .set(key: "dailyGoal", value: 3), .set(key: "dailyGoal", value: 4), at: wall)
        server.vector = try other.heads
        let push = Message.push(segment).encoded()
        let first = try driver()
        first.start()
        try server.welcome(at: wall)
        try server.link.sendToLaptop(bytes: Array(push.dropLast()))
        try server.link.end(.broken(.network("cut")))
        expectEnd(.broken(.network("cut")))
        #expect(try device.store.replica(StagedLaptop.replica) == nil)

        let listener = NoticeListener()
        let second = try driver(nil, listener)
        second.start()
        try server.welcome(at: wall)
        try server.link.sendToLaptop(bytes: push)
        #expect(try device.store.replica(StagedLaptop.replica)?.seq == 2)
        #expect(try device.store.state().settings.dailyGoal == 4)
        #expect(listener.end == nil)
        withExtendedLifetime(second) {}
    }

    @Test(
        "that breaks when part of what was pressed has gone up has nothing that was decided be decided again")
    func inPart() throws {
        let other = try StagedLaptop(server)
        let log = try #require(try SealedLog(device.store))
        _ = try device.perform(.start(label: "Work"))
        for replica in try device.store.ownReplicas() {
            try device.store.acknowledge(replica, through: try log.vector()[replica].seq)
        }
        let run = try #require(try device.store.state().current).id
        laptop.set { $0.wall += 60_000 }
        _ = try device.perform(.pause)
        let paused = try log.vector()
        let now = wall + 180_000
        laptop.set { $0.wall = now }
        // The other laptop's presses, each of which overtakes the pause. Each new one arrives while this
        // laptop reconnects.
        var pushes = [try other.press(.skip(run, ordinal: 0, at: nil), at: now - 60_000)]
        for _ in 0..<4 {
            server.vector = VersionVector(server.vector.heads.merging(try other.heads.heads) { $1 })
            let listener = NoticeListener()
            let driver = try driver(nil, listener)
            driver.start()
            try server.welcome(at: now)
            for push in pushes { try server.link.sendToLaptop(.push(push)) }
            pushes = [try other.press(.adjust(run, ordinal: 1, seconds: 60, at: nil), at: now)]
            // The server stores the pause and nothing else.
            for (replica, head) in paused.heads where try device.store.ownReplicas().contains(replica) {
                try server.link.sendToLaptop(.ack(Ack(replica: replica, head: head, stop: nil)))
                server.vector = VersionVector(server.vector.heads.merging([replica: head]) { $1 })
            }
            try server.link.end(.broken(.network("cut")))
            let undos = try device.store.allStoredEvents().compactMap(\.event).filter { Undo($0) != nil }
            #expect(undos.count == 1)
            withExtendedLifetime(driver) {}
        }
        let pending = try device.store.pendingOwnEvents()
        #expect(
            pending.contains { Undo($0) != nil } && !pending.contains { $0.action == .pause(run, at: nil) })
        #expect(try device.store.returnUndos().count == 1)
    }

    /// The other laptop joins in the middle of work, and goes on with that as of 10 minutes ago. This one joins
    /// 50 ms later, before it has heard of that, and goes on with its work as of 15 minutes ago. Then the other's
    /// `start` arrives. It is the first in replay order, so this laptop's run begins when the other's does.
    @Test("work from before another's start, which was written in the same moment, is kept once")
    func displacedWork() throws {
        let other = try StagedLaptop(server)
        let began = Event(
            replica: ReplicaID(rawValue: 0xC), seq: 1,
            stamp: try #require(Stamp(time: wall - 900_000, counter: 0)),
            action: .start(.init(label: "Write")))
        let alone = try EventLog([began]).replayed().0
        try device.store.setOfflineWorkNote(OfflineWorkNote(joiningIn: alone, at: wall - 1000))
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        #expect(try device.store.state().current?.label == "Write")
        #expect(try device.store.continuation() != nil)

        let start = Action.start(.init(label: "Read", at: wall - 600_000))
        try server.link.sendToLaptop(.push(try other.press(start, at: wall - 50)))
        time.pass(.seconds(1))
        #expect(try device.store.state().current?.label == "Read")
        let record = Action.record(
            .init(
                activity: "work", startedAt: wall - 900_000, endedAt: wall - 600_000, outcome: "stopped",
                label: "Write", source: "offline"))
        let kept = try device.store.allStoredEvents().compactMap(\.event).filter { $0.action == record }
        #expect(kept.count == 1)
        #expect(try device.store.continuation() == nil)

        // A person removes the record. Neither the next news nor the next connection brings it back.
        let name = RecordName(run: RunID(try #require(kept.first).position), ordinal: 0)
        _ = try device.perform(.remove(name))
        let set = Action.set(key: "dailyGoal", value: 3)
        try server.link.sendToLaptop(.push(try other.press(set, at: wall + 1000)))
        time.pass(.seconds(1))
        try server.link.end(.broken(.network("cut")))
        server.vector = try other.heads
        let listener = NoticeListener()
        let next = try self.driver(nil, listener)
        next.start()
        try server.welcome(at: wall + 2000)
        let records = try device.store.allStoredEvents().compactMap(\.event).filter { $0.action == record }
        #expect(records == kept)
        withExtendedLifetime((driver, next, listener)) {}
    }

    @Test("a long replay at the end of catching up takes several turns, between which a press is possible")
    func replaysInTurns() throws {
        let driver = try driverInLongReplay()
        _ = try device.perform(.start(label: "Meanwhile"))
        time.pass(.milliseconds(10))
        #expect(driver.reachedWelcome)
        #expect(try device.store.state().current?.label == "Meanwhile")
        withExtendedLifetime(driver) {}
    }

    @Test("a connection that is left during a long replay says goodbye, and hasn't failed")
    func leftDuringReplay() throws {
        let driver = try driverInLongReplay()
        driver.leave()
        #expect(try server.link.sent.last == Message.bye)
        expectEnd(.closed(.finished))
        #expect(try device.store.state().settings.dailyGoal == 8)
        withExtendedLifetime(driver) {}
    }

    @Test("a session that the server ends during a long replay ends for the server's reason")
    func endedDuringReplay() throws {
        let driver = try driverInLongReplay()
        try server.link.sendToLaptop(.bye)
        #expect(try server.link.isClosedByLaptop)
        expectEnd(.closed(.serverLeft))
        withExtendedLifetime(driver) {}
    }

    /// Returns a connection that has caught up, and has replayed only a part of what it merged.
    private func driverInLongReplay() throws -> SyncDriver {
        device.store.replaySlice = 64
        let other = try StagedLaptop(server)
        let actions = (0..<200).map { Action.set(key: "dailyGoal", value: Int64($0 % 8 + 1)) }
        let segment = try other.press(actions, at: wall)
        server.vector = try other.heads
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        try server.link.sendToLaptop(.push(segment))
        #expect(!driver.reachedWelcome)
        return driver
    }

    /// The costs are SQLite's own counts, which are the same on every machine.
    @Test(
        "what others press costs as much in a long log as in a short one, and no table is gone through for it"
    )
    func cost() throws {
        let other = try StagedLaptop(server)
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        /// Receives `count` events at once, and returns the database's work for them.
        func take(_ count: Int) throws -> StatementWork {
            let actions = (0..<count).map { Action.set(key: "dailyGoal", value: Int64($0 % 8 + 1)) }
            let segment = try other.press(actions, at: wall)
            let before = device.store.database.work
            try server.link.sendToLaptop(.push(segment))
            var work = device.store.database.work
            work.steps -= before.steps
            work.scannedRows -= before.scannedRows
            return work
        }
        _ = try take(100)
        let short = try (0..<16).map { _ in try take(1) }
        for _ in 0..<4 { _ = try take(500) }
        let long = try (0..<16).map { _ in try take(1) }
        #expect(try device.store.replica(StagedLaptop.replica)?.seq == 2_132)
        let (least, most) = (short.map(\.steps).max() ?? 0, long.map(\.steps).max() ?? 0)
        #expect(least > 0 && most <= least * 3 / 2, "\(least) steps, and \(most)")
        #expect(long.map(\.scannedRows).max() == short.map(\.scannedRows).max())
        withExtendedLifetime(driver) {}
    }

    @Test(
        "what comes that can't be read ends it",
        arguments: [[0, 0, 0, 0], [0, 0, 0, 2, 250, 1]] as [[UInt8]])
    func nonsense(bytes: [UInt8]) throws {
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        try server.link.sendToLaptop(bytes: bytes)
        time.endTurn()
        guard case .closed(.malformed) = observer.end else {
            Issue.record("\(String(describing: observer.end))")
            return
        }
        #expect(time.alarms == 0)
        withExtendedLifetime(driver) {}
    }

    @Test("who stops a connection says goodbye, and hears nothing of it any more")
    func stopped() throws {
        let driver = try driver()
        driver.start()
        try server.welcome(at: wall)
        driver.leave()
        #expect(try server.link.sent.last == .bye)
        let count = try server.link.sent.count
        _ = try device.perform(.start(label: nil))
        driver.sendChanges()
        #expect(try server.link.sent.count == count)
        expectEnd(.closed(.finished))
    }

    @Test("who stops before it was begun is told of the end")
    func stoppedBefore() throws {
        let driver = try driver()
        driver.leave()
        #expect(server.links.isEmpty)
        expectEnd(.closed(.finished))
    }
}
