package import FocusCore
package import FocusNet
import FocusSeal
package import FocusSync
import TestSupport
import Testing

// Laptops at a server with the installation's key.
extension Installation {
    /// Returns a laptop that has brought the group to a server, and has answered its welcome.
    package func founder(
        at endpoint: Endpoint, _ group: GroupID = ServerFixture.group
    ) async throws -> TestLaptop {
        let laptop = try TestLaptop()
        let welcome = try await laptop.bring(group, to: endpoint, self)
        #expect(welcome.group == group)
        #expect(welcome.vector == VersionVector())
        #expect(welcome.roster == [RosterEntry(device: laptop.device, isRevoked: false)])
        #expect(welcome.presence.map(\.isConnected) == [true])
        return laptop
    }

    /// Returns a laptop that has joined by a member's invite, and has answered its welcome.
    package func joiner(invitedBy member: TestLaptop, at endpoint: Endpoint) async throws -> TestLaptop {
        let secret = try InviteSecret.random()
        let tokenHash = try secret.token().hash()
        let number = await member.ask(
            .createInvite(InviteRequest(tokenHash: tokenHash, bundle: [4, 2], lifetime: 60_000)))
        let isMade = try await member.next { message -> Bool? in
            switch message {
            case .done(number): true
            case .refused(number, _): false
            default: nil
            }
        }
        #expect(isMade)
        let laptop = try TestLaptop()
        try await laptop.connect(to: endpoint, pin: key(), purpose: .enrol)
        await laptop.send(.enrol(Enrol(token: try secret.token().bytes.exposed(), kind: .join)))
        let enrolled = try await laptop.next { message in
            if case .enrolled(let enrolled) = message { enrolled } else { nil }
        }
        #expect(enrolled.bundle == [4, 2])
        _ = try await laptop.enter()
        return laptop
    }

    /// Opens another connection of a laptop, and answers its welcome.
    package func reconnect(
        _ laptop: TestLaptop, to endpoint: Endpoint
    ) async throws -> (laptop: TestLaptop, welcome: Welcome) {
        let again = try TestLaptop(as: laptop)
        try await again.connect(to: endpoint, pin: key(), purpose: .sync)
        return (again, try await again.enter())
    }
}
