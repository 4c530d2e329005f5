import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Another server than expected")
    struct OtherServerTests {
        @Test("a server with another key than the pinned one is told nothing")
        func otherKey() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let before = try work.log().count
                try world.server.stop()
                let connections = try world.server.connectionCount()
                try FileManager.default.removeItem(atPath: "\(world.server.data)/identity.pem")
                try world.server.setUp()
                try world.server.start()
                try work.press("start", "Work")
                let outcome = try work.run("sync")
                #expect(outcome.status == 5)
                #expect(outcome.messages.contains("shows another key"))
                try eventually("the agent says so") {
                    try work.agentStatus()?.contains("shows another key") == true
                }
                #expect(try world.server.eventCount() == before)
                #expect(try world.server.connectionCount() == connections)
                #expect(try work.status().sync.pending == 1)
            }
        }

        @Test("a client of a future version learns which versions the server speaks")
        func futureClient() throws {
            try World.with { world in
                try world.server.start()
                let client = try TestClient(
                    try DeviceIdentity.generate(), to: world.server,
                    saying: [
                        .hello(
                            Hello(
                                versions: [ProtocolVersion(rawValue: 99)], purpose: .sync, sent: 0,
                                program: "a test"))
                    ])
                let refusal = try client.peer.next("a refusal") {
                    if case .error(let refusal) = $0 { refusal } else { nil }
                }
                #expect(refusal.code == .version)
                #expect(refusal.versions == [.one])
                try eventually("the server ends the connection") { client.peer.isClosed }
            }
        }

        @Test(
            "a laptop whose server speaks other versions is told which side to upgrade",
            arguments: [
                (UInt16(99), "Upgrade this laptop's 'focus'"), (UInt16(0), "Upgrade the server's 'focusd'"),
            ])
        func otherVersion(spoken: UInt16, expected: String) throws {
            try World.with { world in
                let server = try TestServer { _ in
                    [
                        .error(
                            Refusal(
                                .version, "no common version", versions: [ProtocolVersion(rawValue: spoken)]))
                    ]
                }
                let outcome = try world.laptop("work").run("join", server.invite())
                #expect(outcome.status == 5)
                #expect(outcome.messages.contains(expected), "\(outcome.messages)")
                // Nothing but the versions was said: the token stays secret.
                #expect(server.peer.messages.allSatisfy { if case .hello = $0 { true } else { false } })
            }
        }
    }
}
