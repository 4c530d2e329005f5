import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import FocusText
import SQLiteKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServer
@testable import FocusServerFiles
@testable import FocusServerStore
@testable import FocusServing
@testable import FocusWriter

/// Tests of the whole server, over real TLS, with a data folder of its own.
@Suite(.ends(within: .seconds(600))) struct ServingTests {
    private let group = ServerFixture.group

    /// Returns a laptop that has brought the group with a new invite, and is live.
    private func founder(
        _ installation: Installation, _ endpoint: Endpoint, _ group: GroupID = ServerFixture.group
    ) async throws -> TestLaptop {
        let laptop = try TestLaptop()
        let welcome = try await laptop.bring(group, to: endpoint, installation)
        #expect(welcome.group == group)
        #expect(welcome.vector == VersionVector())
        #expect(welcome.roster == [RosterEntry(device: laptop.device, isRevoked: false)])
        #expect(welcome.presence.map(\.isConnected) == [true])
        return laptop
    }

    /// Returns a laptop that has joined the group by the other one's invite, and is live.
    private func joiner(
        invitedBy host: TestLaptop, _ installation: Installation, _ endpoint: Endpoint
    ) async throws -> TestLaptop {
        let secret = try InviteSecret.random()
        let tokenHash = try secret.token().hash()
        await host.send(.createInvite(InviteRequest(tokenHash: tokenHash, bundle: [4, 2], lifetime: 60_000)))
        let created = try await host.next { message in
            if case .inviteCreated(let hash) = message { hash } else { nil }
        }
        #expect(created == tokenHash)

        let laptop = try TestLaptop()
        try await laptop.connect(to: endpoint, pin: installation.key(), purpose: .enrol)
        await laptop.send(.enrol(Enrol(token: try secret.token().bytes.exposed(), kind: .join)))
        let enrolled = try await laptop.next { message in
            if case .enrolled(let enrolled) = message { enrolled } else { nil }
        }
        #expect(enrolled == Enrolled(group: group, bundle: [4, 2]))
        _ = try await laptop.enter()
        return laptop
    }

    @Test("two laptops share a group: what one uploads, the other gets, before and after it joined")
    func sharing() async throws {
        let installation = try Installation()
        var author = Author(1)
        let (early, late) = (try author.write(3), try author.write(2))
        try await installation.serving { endpoint, _ in
            let first = try await founder(installation, endpoint)
            await first.send(.upload(early))
            let ack = try await first.nextAck()
            #expect(ack.head.seq == 3)
            #expect(ack.stop == nil)

            let second = try await joiner(invitedBy: first, installation, endpoint)
            #expect(try await second.nextPush() == early)
            let arrival = try await first.next { message in
                if case .presence(let changes) = message { changes } else { nil }
            }
            #expect(arrival.map(\.device) == [second.device])

            await first.send(.upload(late))
            #expect(try await second.nextPush() == late)
            #expect(try await first.nextAck().head == Head(seq: 5, chain: author.chain))
        }
    }

    @Test("after a restart the server has everything, and a member comes back with its key alone")
    func restart() async throws {
        let installation = try Installation()
        var author = Author(1)
        let segment = try author.write(3)
        let member = try await installation.serving { endpoint, _ in
            let laptop = try await founder(installation, endpoint)
            await laptop.send(.upload(segment))
            _ = try await laptop.nextAck()
            return laptop
        }
        try await installation.serving { endpoint, _ in
            let again = try TestLaptop(as: member)
            try await again.connect(to: endpoint, pin: installation.key(), purpose: .sync)
            let welcome = try await again.enter()
            #expect(welcome.vector[author.replica] == Head(seq: 3, chain: author.chain))
            #expect(try await again.nextPush() == segment)
        }
    }

    @Test("a welcome names the epochs with a record that has a body, and none that is only named")
    func namedEpochs() async throws {
        let installation = try Installation()
        var author = Author(1)
        let segment = try author.write(1)
        try await installation.serving { endpoint, _ in
            let laptop = try TestLaptop()
            #expect(try await laptop.bring(to: endpoint, installation).epochs == [])
            let record = EpochRecord(epoch: ServerFixture.epoch, predecessor: nil, body: [1])
            await laptop.send(.epoch(record))
            await laptop.send(.upload(segment))
            #expect(try await laptop.nextAck().stop == nil)
            let again = try TestLaptop(as: laptop)
            try await again.connect(to: endpoint, pin: installation.key(), purpose: .sync)
            #expect(try await again.enter().epochs == [ServerFixture.epoch])
        }
    }

    @Test("what was accepted before the server is told to stop is acknowledged, then it says goodbye")
    func stopping() async throws {
        let installation = try Installation()
        var author = Author(1)
        let segment = try author.write(1)
        try await installation.serving { endpoint, server in
            let laptop = try await founder(installation, endpoint)
            await laptop.send(.upload(segment))
            _ = try await laptop.nextAck()
            await laptop.send(.upload(segment))
            await laptop.send(.ping(sent: 1))
            // The pong shows that the server has accepted the upload before the ping, but perhaps not stored
            // it.
            _ = try await laptop.next { message in if case .pong = message { true } else { nil } }
            await server.stop()
            #expect(try await laptop.nextRefusal() == .shuttingDown)
        }
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readOnly)
        #expect(try store.read { try $0.logs() }[group]?.head(of: author.replica).head.seq == 1)
    }

    @Test("a device that another process revokes is told so and loses its connection at once")
    func revoking() async throws {
        let installation = try Installation()
        try await installation.serving { endpoint, _ in
            let first = try await founder(installation, endpoint)
            let second = try await joiner(invitedBy: first, installation, endpoint)
            try OperatorRevokeCommand(id: second.device.hexadecimal).run(
                installation.folder, installation.console)
            #expect(try await second.nextRefusal() == .revoked)
            let told = try await first.next { message in
                if case .revoked(let device) = message { device } else { nil }
            }
            #expect(told == second.device)

            let again = try TestLaptop(as: second)
            try await again.connect(to: endpoint, pin: installation.key(), purpose: .sync)
            #expect(try await again.nextRefusal() == .revoked)
        }
    }

    @Test("a group that another process deletes is gone for its devices at once, and can be brought again")
    func deleting() async throws {
        let installation = try Installation()
        try await installation.serving { endpoint, _ in
            let other = try await founder(installation, endpoint, GroupID(high: 7, low: 7))
            let first = try await founder(installation, endpoint)
            var author = Author(1)
            await first.send(.upload(try author.write(2)))
            _ = try await first.nextAck()
            let id = ServerFixture.group.text
            try DeleteGroupCommand(id: id, isSure: true).run(installation.folder, installation.console)
            #expect(try await first.nextRefusal() == .unknownDevice)

            // Other groups are still served.
            await other.send(.ping(sent: 1))
            _ = try await other.next { message in if case .pong = message { true } else { nil } }
            let again = try await founder(installation, endpoint)
            await again.send(.upload(try author.write(1)))
            // The old events are gone, so there is a gap before this one.
            #expect(try await again.nextAck().stop?.code == .gap)
        }
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        #expect(try StoreCheck(store).problems == [])
        #expect(try store.read { try $0.logs() }.values.map(\.number).sorted() == [1, 3])
    }

    @Test("uploads to a group that is being deleted are written nowhere")
    func deletingMeanwhile() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        let writer = try LogWriter(
            SQLiteServerStore(at: fixture.folder.data.store, access: .readWrite),
            clock: ServerClock(greatestServed: 0), limits: ServerLimits(), log: .silent)
        let device = try digest(1)
        let upload = WriterRequest.merge(
            try author.write(1), ServerFixture.group, by: device, from: 9)
        #expect(try writer.work([upload]).contains { $0.ack?.seq == 1 })
        try fixture.store.write { transaction in
            try transaction.deleteGroup(fixture.name.number, now: 0)
            try transaction.raiseRevision()
        }
        let outcomes = try writer.work([.merge(try author.write(1), ServerFixture.group, by: device, from: 9)]
        )
        #expect(!outcomes.contains { !$0.isTally })
        #expect(try StoreCheck(fixture.store).events == 0)
        #expect(try StoreCheck(fixture.store).problems == [])
    }

    @Test("a member that asks to join another group is refused, and stays in its own")
    func moving() async throws {
        let installation = try Installation()
        try await installation.serving { endpoint, _ in
            let laptop = try await founder(installation, endpoint)
            let again = try TestLaptop(as: laptop)
            let invite = try installation.invite()
            try await again.connect(to: endpoint, pin: invite.server.key, purpose: .enrol)
            let token = try invite.secret.token().bytes.exposed()
            let kind = Enrol.Kind.bring(GroupID(high: 7, low: 7), EpochID(rawValue: 8))
            await again.send(.enrol(Enrol(token: token, kind: kind)))
            #expect(try await again.nextRefusal() == .notAllowed)
            await laptop.send(.ping(sent: 1))
            _ = try await laptop.next { message in if case .pong = message { true } else { nil } }
        }
    }

    @Test("a revocation by another process isn't missed if a look for it fails") func missedRevocation()
        async throws
    {
        let installation = try Installation()
        try await installation.serving { endpoint, server in
            let first = try await founder(installation, endpoint)
            // The server isn't told of this change.
            try installation.execute("UPDATE devices SET revoked = 1")
            let outcome = try #require(WriterRequest.reload.failure([:], because: SQLiteError(code: .busy)))
            await server.handle([outcome])
            #expect(try await first.nextRefusal() == .revoked)
        }
    }

    @Test("a connection that opens while the server stops is given up") func lateConnection() async throws {
        let installation = try Installation()
        try await installation.serving { _, server in
            await server.stop()
            #expect(await server.membersWhenOneOpens() == 0)
        }
    }

    @Test("a stranger is let in neither without an invite nor with a wrong one") func strangers() async throws
    {
        let installation = try Installation()
        try await installation.serving { endpoint, _ in
            let stranger = try TestLaptop()
            try await stranger.connect(to: endpoint, pin: installation.key(), purpose: .sync)
            #expect(try await stranger.nextRefusal() == .unknownDevice)

            let guesser = try TestLaptop()
            try await guesser.connect(to: endpoint, pin: installation.key(), purpose: .enrol)
            await guesser.send(.enrol(Enrol(token: [1, 2, 3], kind: .join)))
            #expect(try await guesser.nextRefusal() == .tokenInvalid)
        }
    }

    @Test("a member that reads slowly gets every event in the end") func slowReader() async throws {
        let installation = try Installation()
        try await installation.serving { endpoint, _ in
            let first = try await founder(installation, endpoint)
            let second = try await joiner(invitedBy: first, installation, endpoint)
            await second.pause()
            var author = Author(1)
            // The events have more bytes than the sockets' buffers hold.
            for _ in 0..<16 {
                await first.send(.upload(try author.write(500, bodyLength: 1_040)))
                _ = try await first.nextAck()
            }
            await second.resume()
            var next: UInt64 = 1
            while next <= 8_000 {
                let segment = try await second.nextPush()
                #expect(segment.firstSeq == next)
                next = segment.lastSeq + 1
            }
        }
    }

    @Test("an upload that couldn't be stored isn't acknowledged, and is accepted when repeated")
    func failing()
        async throws
    {
        let installation = try Installation()
        var author = Author(1)
        let segment = try author.write(2)
        try await installation.serving { endpoint, _ in
            let laptop = try await founder(installation, endpoint)
            try installation.execute(
                "CREATE TRIGGER fails BEFORE INSERT ON recent BEGIN SELECT RAISE(ABORT, 'full'); END")
            await laptop.send(.upload(segment))
            let refused = try await laptop.nextAck()
            #expect(refused.head == .empty)
            #expect(refused.stop == Ack.Stop(code: .internal, after: 5_000))

            try installation.execute("DROP TRIGGER fails")
            await laptop.send(.upload(segment))
            let ack = try await laptop.nextAck()
            #expect(ack.head == Head(seq: 2, chain: author.chain))
            #expect(ack.stop == nil)
        }
    }
}

extension Server {
    /// Opens a connection, and returns the number of connections right after its handshake.
    fileprivate func membersWhenOneOpens() -> Int {
        let connection = Connection.connect(
            to: .local(path: "/nowhere/at/all"), over: .plain, on: loop, handler: self)
        opened(connection, peer: KeyHash([UInt8](repeating: 1, count: KeyHash.length)))
        return switchboard?.clients.count ?? 0
    }
}
