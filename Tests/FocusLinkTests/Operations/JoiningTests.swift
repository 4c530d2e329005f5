import ClientSupport
import CommandLineKit
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusFront
@testable import FocusLink

@Suite("Joining a group, with a history or without it")
struct JoiningTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let bundle: GroupBundle
    private let invite: Invite

    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        bundle = GroupBundle(group: GroupID(high: 1, low: 2), key: try .random())
        let server = try #require(Digest(bytes: [UInt8](repeating: 9, count: 32)))
        invite = try Invite(
            kind: .joinGroup(GroupMark(of: bundle.group)), addresses: ["focus.example.org"],
            server: ServerPin(server), secret: .random())
        _ = laptop.run("start Write")
        laptop.pass(.seconds(10 * 60))
        _ = laptop.run("stop")
        _ = laptop.run("start Read")
        laptop.pass(.seconds(5 * 60))
    }

    /// Returns the server's answer to an enrolled device. Its bundle is for this group, or for `group`.
    private func enrolled(_ group: GroupID? = nil) throws -> Enrolled {
        let bundle = GroupBundle(group: group ?? bundle.group, key: bundle.key)
        return Enrolled(group: self.bundle.group, bundle: try invite.secret.wrap(bundle))
    }

    private func enter(_ choice: SoloHistory.Choice, _ enrolled: Enrolled) throws -> SyncNotice? {
        let device = try Device(laptop.machine)
        return try JoinAttempt(invite, name: nil, choice, device).enter(device, enrolled, as: nil).notice
    }

    /// Returns the labels of the records in the group's log.
    private func records() throws -> [String] {
        try Device(laptop.machine).store.allStoredEvents().compactMap {
            guard case .record(let record)? = $0.event?.action else { return nil }
            return record.label
        }
    }

    /// Returns the labels of the phases that are noted as offline work.
    private func noted() throws -> [String] {
        let bytes = try Device(laptop.machine).store.value(.offlineWorkNote)
        return try bytes.map { try OfflineWorkNote(encoded: $0).phases.map(\.label) } ?? []
    }

    private var copy: TestContext {
        TestContext(home: "\(home.path)/alone-2025-11-20", now: 1_763_661_600_000 + 900_000)
    }

    @Test("its invite's addresses stay when the server announces others") func addresses() throws {
        _ = try enter(.takeAlong, enrolled())
        let server = try #require(try Membership(Device(laptop.machine))).server
        #expect(server.addresses == invite.addresses && server.fallback == invite.addresses)
        #expect(server.parsed.count == 1)
    }

    @Test("it is told how much came along") func takingAlong() throws {
        let notice = try enter(.takeAlong, enrolled())
        #expect(
            notice?.sentence
                == "What was recorded here without a group came along: 15m of focus time in 2 sessions, the first on Thu 20 Nov 2025."
        )
        // The open session is only noted. It goes on, or becomes a record if the group turns out to have
        // another session.
        #expect(try records() == ["Write"])
        #expect(try noted() == ["Read"])
    }

    @Test("an empty log that was restored goes into another group as another replica")
    func restoredEmpty() throws {
        let restored = TemporaryHome()
        let laptop = TestContext(home: restored.path, now: 1_763_661_600_000, firstReplica: 0xC0)
        let device = try Device(laptop.machine)
        let before = try device.ownReplicas()
        _ = try JoinAttempt(invite, name: nil, .leaveBehind, device).enter(device, enrolled(), as: nil)
        #expect(try device.ownReplicas().isDisjoint(with: before))
        #expect(try device.ownReplicas().count == 1)
    }

    @Test("who left while the server let it in stays out, whatever it was let in for")
    func leftMeanwhile() throws {
        let device = try Device(laptop.machine)
        let attempt = try JoinAttempt(invite, name: nil, .takeAlong, device)
        let key = try #require(Digest(bytes: [UInt8](repeating: 3, count: 32)))
        #expect(throws: GroupOperationError(.leftMeanwhile)) {
            try attempt.enter(device, enrolled(), as: key)
        }
        #expect(try device.store.group() == nil)
        #expect(try records() == [])
    }

    @Test("who joined another group while the server let it in stays in that")
    func joinedMeanwhile() throws {
        let device = try Device(laptop.machine)
        let attempt = try JoinAttempt(invite, name: nil, .takeAlong, device)
        let other = GroupID(high: 7, low: 7)
        try device.store.enter(other, StoredEpoch(id: bundle.key.epoch, key: [1], predecessor: nil))
        #expect(throws: GroupOperationError(.inOtherGroup)) { try attempt.enter(device, enrolled(), as: nil) }
        #expect(try device.store.group() == other)
    }

    @Test("what runs where the clock has gone back is as long as the history has it")
    func clockGoneBack() throws {
        _ = laptop.run("set dailyGoal=9")
        laptop.pass(.seconds(-3 * 60))
        _ = try enter(.takeAlong, enrolled())
        let bytes = try #require(try Device(laptop.machine).store.value(.offlineWorkNote))
        #expect(try OfflineWorkNote(encoded: bytes).phases.map(\.active) == [5 * 60 * 1000])
    }

    @Test(
        "a laptop in a group turns down an invite to another one before that is used, and takes its own group's"
    )
    func otherGroup() throws {
        _ = try enter(.leaveBehind, enrolled())
        let device = try Device(laptop.machine)
        let other = try Invite(
            kind: .joinGroup(GroupMark(of: GroupID(high: 1 << 32, low: 2))), addresses: invite.addresses,
            server: invite.server, secret: .random())
        #expect(throws: GroupOperationError(.invitedToOtherGroup)) {
            try JoinAttempt(other, name: nil, .leaveBehind, device)
        }
        let failure = GroupOperationError(.invitedToOtherGroup).asCommandFailure()
        #expect(failure.status == .notNow && failure.message.contains("'focus leave'"))
        // A laptop may follow its own group to another server.
        _ = try JoinAttempt(invite, name: nil, .leaveBehind, device)
    }

    @Test("an invite that is tried again is tried with the same key, and another invite with a new one")
    func keys() throws {
        let device = try Device(laptop.machine)
        let file = IdentityFile(path: "\(home.path)/identity.pem")
        /// Returns the key that the laptop uses with an invite.
        func key(_ invite: Invite) throws -> Digest {
            let attempt = try JoinAttempt(invite, name: nil, .takeAlong, device)
            try device.renewKey(for: attempt.requestIdentity)
            let identity = try file.loadOrCreate()
            try device.record(DeviceSecrets(AgreementKey(identity), random: Platform.process.random))
            return identity.keyHash
        }
        let another = try Invite(
            kind: .joinGroup(GroupMark(of: bundle.group)), addresses: invite.addresses, server: invite.server,
            secret: .random())
        let bringing = {
            try Invite(kind: .bringGroup, addresses: ["a"], server: invite.server, secret: .random())
        }
        // An older version kept its key when it left a group, so the group may know this key.
        let former = try file.loadOrCreate().keyHash
        let first = try key(invite)
        #expect(first != former)
        #expect(try key(invite) == first)
        let second = try key(another)
        #expect(second != first)
        // A group is brought with one key, even if that takes several invites.
        let third = try key(bringing())
        #expect(third != second)
        #expect(try key(bringing()) == third)
        let fourth = try key(invite)
        #expect(![former, first, second, third].contains(fourth))

        _ = try JoinAttempt(invite, name: nil, .takeAlong, device).enter(device, enrolled(), as: fourth)
        #expect(try key(another) == fourth, "in a group it keeps the one that is known there")
    }

    @Test("what stays behind is kept, with what ran, and can be taken into the group later, once")
    func leavingBehind() throws {
        let notice = try enter(.leaveBehind, enrolled())
        #expect(
            notice?.sentence == """
                What was recorded here without a group was left behind: 15m of focus time in 2 sessions, the first on Thu 20 Nov 2025.
                  FOCUS_HOME=\(home.path)/alone-2025-11-20 focus export | focus import -
                takes it into the group later.
                """)
        #expect(try records() == [])
        #expect(laptop.run("log").messages == "focus: The history is empty.\n")
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
        laptop.put(copy.run("export").output, at: "-")
        #expect(
            laptop.run("import -").messages
                == "focus: That is another log: 2 records of its history were added.\n")
        #expect(try records() == ["Write", "Read"])
        #expect(
            laptop.run("import -").messages
                == "focus: That is another log: 0 records of its history were added; 2 were here already.\n")
    }

    @Test(
        "an attempt that failed half way decides nothing: the repeated one does as it says",
        arguments: SoloHistory.Choice.allCases)
    func repeated(choice: SoloHistory.Choice) throws {
        let other: SoloHistory.Choice = choice == .takeAlong ? .leaveBehind : .takeAlong
        #expect(throws: GroupOperationError(.joinedOtherGroup)) {
            _ = try enter(other, enrolled(GroupID(high: 7, low: 7)))
        }
        // An error during the attempt, such as a full disk.
        let device = try Device(laptop.machine)
        #expect(throws: (any Error).self) {
            try device.store.atomically {
                _ = try JoinAttempt(invite, name: nil, other, device).enter(device, enrolled(), as: nil)
                throw GroupOperationError(.timedOut)
            }
        }
        #expect(try device.store.group() == nil)
        _ = try enter(choice, enrolled())
        #expect(try records() == (choice == .takeAlong ? ["Write"] : []))
        #expect(try noted() == (choice == .takeAlong ? ["Read"] : []))
        #expect(try enter(other, enrolled()) == nil, "what was decided stays so")
        #expect(try records() == (choice == .takeAlong ? ["Write"] : []))
    }

    @Test(
        "who joins again after the group's key was changed keeps both keys, and writes under the new one",
        arguments: [false, true])
    func again(isNewerSmaller: Bool) throws {
        // If two epochs have no records, the one with the smaller id would count as the newer one.
        let keys = try [0, 32].map { try EpochKey(SecretBytes(Array(UInt8($0)..<UInt8($0) + 32))) }
            .sorted { $0.epoch < $1.epoch }
        let (first, second) = isNewerSmaller ? (keys[1], keys[0]) : (keys[0], keys[1])
        let device = try Device(laptop.machine)
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        func join(_ key: EpochKey) throws -> SealedLog {
            let bundle = GroupBundle(group: bundle.group, key: key)
            let enrolled = Enrolled(group: bundle.group, bundle: try invite.secret.wrap(bundle))
            return try JoinAttempt(invite, name: nil, .leaveBehind, device).enter(device, enrolled, as: nil)
                .log
        }
        _ = try join(first)
        _ = try device.perform(.start(label: nil))
        let log = try join(second)
        #expect(try device.store.epochs().map(\.id) == [first.epoch, second.epoch])
        _ = try device.perform(.pause)
        let replica = try #require(try device.store.ownReplicas().last)
        #expect(try device.store.lastEpoch(of: replica) == second.epoch)
        // Events under either key can be sent and read.
        _ = try log.vector()
        let segment = try #require(try log.segment(of: replica, from: 1, bytes: 1 << 16))
        #expect(Set(segment.events.map(\.epoch)) == [first.epoch, second.epoch])
        #expect(try device.store.sealedEpochs() == [])

        // The record of the key change arrives with the welcome. Joining again with the older key changes
        // nothing.
        let making = EpochBody.Inputs(
            group: bundle.group, predecessor: first, otherKeys: [],
            devices: [try own.publicKey.hash(): own.publicKey], revoked: [])
        var draws = 0
        let (made, body) = try EpochBody.make(making) { (count) throws(SealError) in
            draws += 1
            return draws == 1 ? second.secret : try SecretBytes.random(count: count)
        }
        try #require(made.epoch == second.epoch)
        try log.add(EpochRecord(epoch: second.epoch, predecessor: first.epoch, body: body.bytes))
        #expect(try log.adopt(with: own).ring.order == [first.epoch, second.epoch])
        #expect(try join(first).adopt(with: own).ring.order == [first.epoch, second.epoch])
        #expect(try device.store.epochs().map(\.id) == [first.epoch, second.epoch])
    }
}
