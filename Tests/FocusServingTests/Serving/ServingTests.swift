import Dispatch
import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import FocusText
import SQLiteKit
import ServerSupport
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import FocusServer
@testable import FocusServerCore
@testable import FocusServerStore
@testable import FocusServing

/// A lookup of the machine's hosts that takes until the test ends it.
private final class HangingLookup: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let counts = Mutex((present: 0, most: 0))

    /// The most lookups that went on at once.
    var most: Int { counts.withLock { $0.most } }

    func hosts() -> [String] {
        counts.withLock { $0 = ($0.present + 1, max($0.most, $0.present + 1)) }
        isOver.wait()
        isOver.signal()
        counts.withLock { $0.present -= 1 }
        return ["192.0.2.7"]
    }

    func end() { isOver.signal() }
}

/// Tests of the whole server, over real TLS, with a data folder of its own.
@Suite(.ends(within: .seconds(600))) struct ServingTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    @Test("two laptops share a group: what one uploads, the other gets, before and after it joined")
    func sharing() async throws {
        var author = Author(1)
        let (early, late) = (try author.write(3), try author.write(2))
        try await installation.serving { endpoint, _ in
            let first = try await installation.founder(at: endpoint)
            await first.send(.upload(early))
            let ack = try await first.nextAck()
            #expect(ack.head.seq == 3)
            #expect(ack.stop == nil)

            let second = try await installation.joiner(invitedBy: first, at: endpoint)
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
        var author = Author(1)
        let segment = try author.write(3)
        let member = try await installation.serving { endpoint, _ in
            let laptop = try await installation.founder(at: endpoint)
            await laptop.send(.upload(segment))
            _ = try await laptop.nextAck()
            return laptop
        }
        try await installation.serving { endpoint, _ in
            let (again, welcome) = try await installation.reconnect(member, to: endpoint)
            #expect(welcome.vector[author.replica] == Head(seq: 3, chain: author.chain))
            #expect(try await again.nextPush() == segment)
        }
    }

    @Test("a welcome names the epochs with a record that has a body, and none that is only named")
    func namedEpochs() async throws {
        var author = Author(1)
        let segment = try author.write(1)
        try await installation.serving { endpoint, _ in
            let laptop = try TestLaptop()
            #expect(try await laptop.bring(to: endpoint, installation).epochs == [])
            let record = EpochRecord(epoch: ServerFixture.epoch, predecessor: nil, body: [1])
            await laptop.ask(.epoch(record))
            await laptop.send(.upload(segment))
            #expect(try await laptop.nextAck().stop == nil)
            let welcome = try await installation.reconnect(laptop, to: endpoint).welcome
            #expect(welcome.epochs == [ServerFixture.epoch])
        }
    }

    @Test("laptops are served while the machine's own addresses are being found, and told of them afterwards")
    func ownAddresses() async throws {
        let member = try await installation.serving { endpoint, _ in
            try await installation.founder(at: endpoint)
        }
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        try store.write { try $0.replaceAddresses(with: ["auto:7900"]) }
        let lookup = HangingLookup()
        try await installation.serving(finding: { lookup.hosts() }) { endpoint, server in
            #expect(try await installation.reconnect(member, to: endpoint).welcome.addresses == [])
            await server.renewOwnAddresses()
            await server.renewOwnAddresses()
            lookup.end()
            try await waitUntil("the addresses are announced") {
                try await installation.reconnect(member, to: endpoint).welcome.addresses
                    == ["192.0.2.7:7900"]
            }
            #expect(lookup.most == 1, "a lookup that hangs is the only one")
        }
    }

    @Test("each request about a group is answered once, by its number, in the order asked")
    func answers() async throws {
        let key = try digest(1)
        let known = EpochRecord(epoch: EpochID(rawValue: 70), predecessor: nil, body: [1])
        let unknown = EpochRecord(
            epoch: EpochID(rawValue: 71), predecessor: EpochID(rawValue: 99), body: [1])
        let requests: [GroupRequest] = [
            .revoke(key), .revoke(key), .roster([RosterEntry(device: key, isRevoked: true)]), .epoch(known),
            .successor(unknown, discounting: []),
        ]
        try await installation.serving { endpoint, _ in
            let laptop = try await installation.founder(at: endpoint)
            var numbers: [RequestNumber] = []
            for request in requests { numbers.append(await laptop.ask(request)) }
            for number in numbers.dropLast() { #expect(try await laptop.nextAnswer() == .done(number)) }
            let refused = try await laptop.next { message -> (number: RequestNumber, code: RefusalCode)? in
                if case .refused(let number, let refusal) = message { (number, refusal.code) } else { nil }
            }
            #expect(refused.number == numbers.last && refused.code == .unknownEpoch)
        }
    }

    @Test("what was accepted before the server is told to stop is acknowledged, then it says goodbye")
    func stopping() async throws {
        var author = Author(1)
        let segment = try author.write(1)
        try await installation.serving { endpoint, server in
            let laptop = try await installation.founder(at: endpoint)
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
        #expect(try store.read { try $0.logs() }[ServerFixture.group]?.head(of: author.replica).head.seq == 1)
    }

    @Test("a device that another process revokes is told so and loses its connection at once")
    func revoking() async throws {
        try await installation.serving { endpoint, _ in
            let first = try await installation.founder(at: endpoint)
            let second = try await installation.joiner(invitedBy: first, at: endpoint)
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
        try await installation.serving { endpoint, _ in
            let other = try await installation.founder(at: endpoint, GroupID(high: 7, low: 7))
            let first = try await installation.founder(at: endpoint)
            var author = Author(1)
            await first.send(.upload(try author.write(2)))
            _ = try await first.nextAck()
            let id = ServerFixture.group.text
            try DeleteGroupCommand(id: id, isSure: true).run(installation.folder, installation.console)
            #expect(try await first.nextRefusal() == .unknownDevice)

            // Other groups are still served.
            await other.send(.ping(sent: 1))
            _ = try await other.next { message in if case .pong = message { true } else { nil } }
            let again = try await installation.founder(at: endpoint)
            await again.send(.upload(try author.write(1)))
            // The old events are gone, so there is a gap before this one.
            #expect(try await again.nextAck().stop?.code == .gap)
        }
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        #expect(try StoreCheck(store).problems == [])
        #expect(try store.read { try $0.logs() }.values.map(\.number).sorted() == [1, 3])
    }

    @Test("a revocation by another process isn't missed if a look for it fails")
    func missedRevocation() async throws {
        try await installation.serving { endpoint, server in
            let first = try await installation.founder(at: endpoint)
            // The server isn't told of this change.
            try installation.execute("UPDATE devices SET revoked = 1")
            let outcome = try #require(WriterRequest.reload.failure([:], because: SQLiteError(code: .busy)))
            await server.handle([outcome])
            #expect(try await first.nextRefusal() == .revoked)
        }
    }

    @Test("a connection that opens while the server stops is given up") func lateConnection() async throws {
        try await installation.serving { _, server in
            await server.stop()
            #expect(await server.membersWhenOneOpens() == 0)
        }
    }

    @Test("a stranger is let in neither without an invite nor with a wrong one")
    func strangers() async throws {
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
        try await installation.serving { endpoint, _ in
            let first = try await installation.founder(at: endpoint)
            let second = try await installation.joiner(invitedBy: first, at: endpoint)
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
