import ClientSupport
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

/// One operation of a command, from its start to its result, with a server that the test plays.
@Suite("A group operation")
final class OperationRunnerTests {
    private let home = TemporaryHome()
    private let time: VirtualTime
    private let device: Device
    private let server: StagedServer
    private let wall: SharedInstant = 1_763_661_600_000
    private let reports = Reports()
    /// The operations, which nothing else keeps.
    private var runners: [OperationRunner] = []

    init() throws {
        let laptop = TestContext(home: home.path, now: wall)
        laptop.set { $0.sinceBoot = 0 }
        time = VirtualTime(laptop)
        device = try Device(laptop.machine)
        server = StagedServer(time)
    }

    /// The results that an operation has reported. There must be only one.
    private final class Reports {
        var all: [Result<GroupOperationResult, GroupOperationError>] = []

        /// The error, if the operation has reported once and has failed.
        var failure: GroupOperationError.Cause? {
            guard all.count == 1, case .failure(let failure)? = all.first else { return nil }
            return failure.cause
        }

        /// Whether the operation has reported once and has succeeded.
        var isSuccess: Bool {
            guard all.count == 1, case .success? = all.first else { return false }
            return true
        }

        /// Whether the operation has reported once, and an error like this.
        func hasFailed(_ isExpected: (GroupOperationError.Cause) -> Bool) -> Bool {
            failure.map(isExpected) ?? false
        }
    }

    /// Starts an operation.
    private func run(_ operation: GroupOperation, by routes: ServerRoutesProvider? = nil) {
        let runner = OperationRunner(device, by: routes ?? server.routes, time: time) { [reports] in
            reports.all.append($0)
        }
        runners.append(runner)
        runner.run(operation, within: .seconds(30))
    }

    /// Starts an operation of the laptop, which is in the group.
    private func begin(_ operation: GroupOperation) throws {
        try server.admit(device)
        run(operation)
    }

    /// Cuts the connection. That also ends an operation, which would otherwise stay in memory: a leak.
    private func hangUp() throws {
        try server.link.end(.broken(.network("no way there")))
        time.endTurn()
    }

    /// Returns the number of requests for an invite of this secret.
    private func asked(for secret: InviteSecret) throws -> Int {
        let token = try secret.token().hash()
        return try server.link.sent.count { message in
            if case .request(_, .createInvite(let request)) = message {
                request.tokenHash == token
            } else {
                false
            }
        }
    }

    /// Returns the number of the last request of this type on the newest link.
    private func lastNumber(_ type: MessageType) throws -> RequestNumber {
        let asked = try server.link.sent.last { $0.type == type }
        guard case .request(let number, _) = try #require(asked) else { throw NotARequest() }
        return number
    }

    private struct NotARequest: Error {}

    @Test("that can't reach the server says why, once, and is over")
    func unreachable() throws {
        try begin(.sync)
        try hangUp()
        #expect(
            reports.hasFailed {
                if case .ended(.unreachable(.network("no way there"))) = $0 { true } else { false }
            })
        #expect(time.alarms == 0 && server.links.count == 1)
        time.pass(.seconds(60))
        #expect(reports.all.count == 1)
        #expect(try device.obstacle() == .unreachable)
    }

    @Test("leaves what an agent notes that is connected")
    func besideAgent() throws {
        try server.admit(device)
        try device.record(ConnectionState(.online))
        try begin(.sync)
        try hangUp()
        #expect(reports.failure != nil)
        #expect(try device.obstacle() == nil)
    }

    @Test("of a laptop that is in no group says so, and connects to nobody")
    func noGroup() throws {
        run(.sync)
        #expect(reports.hasFailed { if case .noGroup = $0 { true } else { false } })
        #expect(server.links.isEmpty && time.alarms == 0)
    }

    @Test(
        "that can't use the laptop's log, key or files says so, and only its files are an obstacle",
        arguments: [
            (.store(StoreError(.busy, "it is busy")), .other("it is busy"), nil),
            (.seal(SealError(.library, "no library")), .seal(SealError(.library, "no library")), nil),
            (.device(.key(.gone, path: "key")), .device(.key(.gone, path: "key")), .ownFault),
        ] as [(LocalFailure, GroupOperationError.Cause, ServerObstacle?)])
    func localFailure(
        failure: LocalFailure, cause: GroupOperationError.Cause, obstacle: ServerObstacle?
    ) throws {
        try server.admit(device)
        run(.sync, by: { (_, _) throws(LocalFailure) in throw failure })
        #expect(reports.failure == cause)
        #expect(try device.obstacle() == obstacle)
        #expect(time.alarms == 0)
    }

    @Test("that joins ends by what keeps the laptop out of the group that it was let into")
    func joining() throws {
        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: StagedServer.group)), addresses: ["server.example"],
            server: ServerPin(Digest(InlineArray(repeating: 3))), secret: .random())
        run(.join(invite, name: nil, .leaveBehind))
        try server.greet(at: wall)
        let other = GroupBundle(group: GroupID(high: 7, low: 7), key: try .random())
        try server.link.sendToLaptop(
            .enrolled(Enrolled(group: StagedServer.group, bundle: try invite.secret.wrap(other))))
        time.endTurn()
        #expect(reports.hasFailed { if case .joinedOtherGroup = $0 { true } else { false } })
        #expect(try device.store.group() == nil)
    }

    @Test("that looks whether the server is there leaves after the welcome")
    func check() throws {
        try begin(.check)
        #expect(reports.all.isEmpty)
        try server.welcome(at: wall)
        #expect(try server.link.isClosedByLaptop)
        time.endTurn()
        #expect(reports.isSuccess)
        #expect(time.alarms == 0)
    }

    @Test(
        "for an invite asks once, however much else comes, and ends with the answer",
        arguments: [false, true])
    func invite(isRefused: Bool) throws {
        let secret = try InviteSecret.random()
        try server.admit(device)
        // The laptop gives the server this device, too.
        let other = Digest(InlineArray(repeating: 9))
        try device.store.upsert([RosterEntry(device: other, isRevoked: false)])
        run(.invite(secret))
        try server.welcome(at: wall)
        #expect(try asked(for: secret) == 1)
        for _ in 0..<3 { try server.link.sendToLaptop(.presence([])) }
        time.pass(.seconds(1))
        #expect(try asked(for: secret) == 1)
        // An answer to another request isn't taken for this one's.
        try server.link.sendToLaptop(.done(lastNumber(.roster)))
        time.endTurn()
        #expect(reports.all.isEmpty)
        let number = try lastNumber(.createInvite)
        let refusal = Refusal(.quota, "enough of them")
        try server.link.sendToLaptop(isRefused ? .refused(number, refusal) : .done(number))
        time.endTurn()
        #expect(try server.link.isClosedByLaptop)
        let hasFailed = reports.hasFailed { if case .refused(refusal) = $0 { true } else { false } }
        #expect(isRefused ? hasFailed : reports.isSuccess)
        #expect(time.alarms == 0)
    }

    @Test(
        "that shuts laptops out does so again, in the keys' order, if they readmitted themselves by events that lie ahead"
    )
    func readmitsItself() throws {
        let desks = (1...8 as ClosedRange<UInt8>).map { Digest(InlineArray(repeating: $0)) }
        try begin(.revoke(desks))
        try server.welcome(at: wall)
        let other = try StagedLaptop(server)
        try server.link.sendToLaptop(
            .push(try other.press(desks.map { .readmit($0) }, at: wall + .seconds(100))))
        time.endTurn()
        let events = try device.store.allStoredEvents().compactMap(\.event)
        let last = try #require(events.last { $0.id.replica == StagedLaptop.replica }).position
        let again = events.filter { $0.position > last }.compactMap { event in
            if case .revoke(let key) = event.action { key } else { nil }
        }
        #expect(again == desks)
        let rulings = try device.store.state().rulings
        #expect(desks.allSatisfy { rulings[$0]?.isRevoked == true })
        #expect(reports.all.isEmpty)
        try hangUp()
    }

    @Test(
        "waits no longer than it may, even for a server that doesn't let it go: it can't be reached then, until a welcome",
        arguments: [false, true])
    func patience(hidesEnd: Bool) throws {
        try begin(.sync)
        try server.link.hidesEnd = hidesEnd
        time.pass(.seconds(29))
        #expect(reports.all.isEmpty)
        time.pass(.seconds(1))
        #expect(try server.link.isClosedByLaptop)
        time.endTurn()
        #expect(reports.hasFailed { if case .timedOut = $0 { true } else { false } })
        #expect(try device.obstacle() == .unreachable)
        try begin(.sync)
        try server.welcome(at: wall)
        #expect(try device.obstacle() == nil)
        try hangUp()
    }

    @Test("waits for no server that isn't sure of its clock: a sync says that, and leaving fails by it")
    func unsureServer() throws {
        try server.admit(device)
        _ = try device.perform(.start(label: nil))
        run(.sync)
        try server.welcome(at: nil)
        time.endTurn()
        let outcome = try #require(reports.all.first).get()
        #expect(outcome.unsent == .clockNotSure)
        run(.leave)
        try server.welcome(at: nil)
        time.endTurn()
        guard reports.all.count == 2, case .failure(let failure) = reports.all[1] else {
            Issue.record("leaving has not failed")
            return
        }
        #expect(failure.cause == .unsent(.clockNotSure))
        #expect(time.alarms == 0)
    }

    @Test("leaving fails by a server that isn't sure of its clock even if nothing waits, and writes nothing")
    func leavingUnsureServer() throws {
        try server.admit(device)
        _ = try device.perform(.start(label: nil))
        run(.sync)
        try server.welcome(at: wall)
        time.endTurn()
        try server.acknowledge(device)
        time.endTurn()
        #expect(reports.isSuccess)
        #expect(try device.store.pendingCount() == 0)
        let before = try device.store.eventCount()
        run(.leave)
        try server.welcome(at: nil)
        time.endTurn()
        guard reports.all.count == 2, case .failure(let failure) = reports.all[1] else {
            Issue.record("leaving has not failed")
            return
        }
        #expect(failure.cause == .unsent(.clockNotSure))
        #expect(try device.store.eventCount() == before)
        #expect(try !device.isLeaving())
    }

    @Test(
        "leaving fails too if the server refuses what waits",
        arguments: [RefusalCode.clockNotSure, .groupFull, .noRoom, .rate])
    func leavingRefused(code: RefusalCode) throws {
        try server.admit(device)
        _ = try device.perform(.start(label: nil))
        run(.leave)
        try server.welcome(at: wall)
        let stop = Ack.Stop(code: code, after: .seconds(30))
        for replica in try device.store.ownReplicas() {
            try server.link.sendToLaptop(.ack(Ack(replica: replica, head: .empty, stop: stop)))
        }
        time.endTurn()
        #expect(reports.hasFailed { $0 == .unsent(.stopped(code)) })
        #expect(try !device.isLeaving())
    }

    @Test("the others don't know that a laptop has left if the group has no room for that")
    func leavingUntold() throws {
        try begin(.leave)
        try server.welcome(at: wall)
        time.endTurn()
        #expect(try device.isLeaving())
        let stop = Ack.Stop(code: .groupFull, after: .seconds(300))
        for replica in try device.store.ownReplicas() {
            try server.link.sendToLaptop(.ack(Ack(replica: replica, head: .empty, stop: stop)))
        }
        time.endTurn()
        try hangUp()
        let outcome = try #require(reports.all.first).get()
        #expect(!outcome.othersKnow)
    }

    @Test("that is given up says so, and one that is over already stays as it is")
    func givenUp() throws {
        try begin(.sync)
        runners[0].giveUp()
        time.endTurn()
        #expect(reports.hasFailed { if case .givenUp = $0 { true } else { false } })
        runners[0].giveUp()
        time.pass(.seconds(60))
        #expect(reports.all.count == 1)
    }

    @Test("that parts succeeds if the laptop was shut out before, and the others know that it is gone")
    func partedBefore() throws {
        try begin(.leave)
        try server.greet(at: wall)
        try server.link.sendToLaptop(.error(Refusal(.revoked, "shut out")))
        time.endTurn()
        let outcome = try #require(reports.all.first).get()
        #expect(reports.all.count == 1)
        #expect(outcome.othersKnow)
    }

    @Test("that parts fails if the laptop was shut out before, and changes wait here that nobody else has")
    func partedWithChanges() throws {
        try server.admit(device)
        _ = try device.perform(.start(label: nil))
        run(.leave)
        try server.greet(at: wall)
        try server.link.sendToLaptop(.error(Refusal(.revoked, "shut out")))
        time.endTurn()
        #expect(reports.hasFailed { $0 == .shutOut })
        #expect(try device.isRevoked() && !device.isLeaving())
    }
}
