import FocusCore
import Foundation
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("Who is a member, as several servers see it in PostgreSQL", .ends(within: .seconds(600)))
struct MembershipLockTests {
    private let database: DatabaseFixture
    private var number: Int64 { database.number }

    init() throws { database = try DatabaseFixture() }

    @Test(
        "a revocation waits for the device's requests at another server, and ends the invite that they made",
        arguments: [false, true])
    func askedForAsItIsShutOut(isTogether: Bool) throws {
        let token = try digest(7)
        var author = Author(1)
        let (segment, head) = try author.segment(2)
        func ask(_ transaction: any ServerTransaction) throws {
            #expect(try transaction.isMember(ServerFixture.member, of: number))
            try transaction.addSegment(segment, through: head, group: number)
        }
        let shutOut = try database.open().write { transaction in
            if isTogether {
                #expect(try transaction.together { try ask(transaction) })
            } else {
                try ask(transaction)
            }
            try transaction.addInvite(
                token, group: number, bundle: [1], expires: ServerFixture.now + .seconds(600),
                by: ServerFixture.member)
            let shutOut = ThreadTask { [address = database.address, number = database.number] in
                try PostgreSQLServerStore(at: address, access: .existing).write {
                    try $0.revokeDevice(ServerFixture.member, inGroup: number, now: ServerFixture.now)
                }
            }
            #expect(try database.administrator.waitsForLocks(1) { shutOut.isOver })
            #expect(!shutOut.isOver)
            return shutOut
        }
        try shutOut.value()
        let invite = try database.open(as: 3).read { try $0.invite(token) }
        #expect(invite?.ended != nil && invite?.bundle == nil)
    }

    @Test("two servers that revoke each other's devices at once both succeed, with retries")
    func shutOutAtOnce() throws {
        let devices = try (1...2).map { try digest(number: $0) }
        try database.open(as: 9).write { transaction in
            for device in devices { try transaction.putDevice(device, inGroup: number, now: 1) }
        }
        let meeting = DispatchGroup()
        for _ in devices { meeting.enter() }
        let servers = devices.enumerated().map { place, device in
            ThreadTask { [address = database.address, number = database.number] in
                var isFirst = true
                // The server leaves the meeting even if it fails before, because otherwise the other server
                // would wait for ever.
                defer { if isFirst { meeting.leave() } }
                let store = try PostgreSQLServerStore(
                    at: address, access: .existing, server: Int64(place + 1))
                while true {
                    do {
                        return try store.write { transaction in
                            // Both hold a shared lock on the group, and each needs an exclusive one.
                            #expect(try transaction.isMember(ServerFixture.member, of: number))
                            if isFirst {
                                isFirst = false
                                meeting.leave()
                                meeting.wait()
                            }
                            try transaction.revokeDevice(device, inGroup: number, now: ServerFixture.now)
                        }
                    } catch let error as PostgreSQLError where error.isTransient {}
                }
            }
        }
        for server in servers { try server.value() }
        let revoked = try database.open(as: 3).read { snapshot in
            try devices.map { try snapshot.device($0, in: number)?.revoked }
        }
        #expect(revoked == [ServerFixture.now, ServerFixture.now])
    }
}
