import FocusSeal
import FocusSync
import Glibc
import IntegrationSupport
import Testing

extension FaultTests {
    /// What the server's settings limit. Each limit has its tests with the server's parts; here it is whole programs.
    @Suite("Beyond the server's limits")
    struct ServerLimitTests {
        private func serving(_ settings: String, _ body: (World) throws -> Void) throws {
            try World.with { world in
                try world.server.setUp()
                try world.server.set(settings)
                try world.server.start()
                try body(world)
            }
        }

        @Test("a laptop that writes too much says so, sends the rest little by little, and holds up nobody")
        func rate() throws {
            try serving("device-burst = 6\ndevice-events-per-second = 1\n") { world in
                let work = try world.join("work")
                let home = try world.join("home")
                let spare = try world.join("spare")
                try work.press("start", "Work")
                try world.agree()
                try world.server.stop()
                for number in 1...16 { try work.press("label", "Away \(number)") }
                try world.server.start()
                try eventually("the others are online") { try home.isOnline && spare.isOnline }
                try eventually("work says that it is slowed down, and keeps the rest") {
                    try work.agentStatus()?.contains("Too much was written at once") == true
                        && work.status().sync.pending > 0
                }
                try world.expectPromptPresses(from: home, to: spare, "Beside it")
                let log = try world.agree()
                #expect(log.count { $0.contains("Away ") } == 16)
                #expect(try work.status().sync.pending == 0)
            }
        }

        @Test("groups and newcomers beyond what the server takes are told so, with when to try again")
        func newcomers() throws {
            try serving("max-groups = 1\nenrolments-per-minute = 3\ndevices-per-group = 2\n") { world in
                try world.join("work")
                let invite = try world.laptops[0].invite()
                let other = world.laptop("other")
                let group = try other.run("join", "-", input: world.server.invite())
                #expect(group.status == 5)
                #expect(group.messages.contains("too many groups. Whoever runs it can raise the limit."))
                try other.join(invite)
                let late = try other.run("join", "-", input: world.server.invite())
                #expect(late.status == 5)
                #expect(
                    late.messages.contains("too many laptops ask to join from this address. Try again in "))
            }
        }

        @Test("a laptop whose group has more devices than a new server takes syncs all the same, and says so")
        func roster() throws {
            try World.with(["work", "home", "spare"]) { world in
                let work = world.laptops[0]
                try work.press("start", "Work")
                let count = try world.agree().count
                try world.server.kill()
                let second = Server("second", in: world.folder)
                try second.setUp()
                try second.set("devices-per-group = 1\n")
                try second.start()
                let joined = try work.run("join", "-", input: second.invite())
                #expect(joined.status == 0, "\(joined.messages)")
                try eventually("the agent of work says that not all can use the server") {
                    try work.agentStatus()?.contains("A laptop of the group can't use the server.") == true
                }
                try eventually("the server has everything") { try second.eventCount() == count }
                // Itself, and one of those that it lists: as many as there may be devices.
                #expect(try second.devices().count == 2)
                #expect(try work.isOnline)
            }
        }

        @Test(
            "who doesn't get on with its handshake, or says nothing after it, is let go in the time that is set"
        )
        func silence() throws {
            try serving("handshake-timeout = 1s\n") { world in
                let work = try world.join("work")
                let port = try #require(world.server.port)
                guard let silent = LoopbackSocket(connectedTo: port) else { throw Unmet("nobody is there") }
                let mute = try TestClient(DeviceIdentity.generate(), to: world.server, saying: [])
                let refusal = try mute.peer.next("the server's reason") { message in
                    if case .error(let refusal) = message { refusal } else { nil }
                }
                #expect(refusal.code == .silence)
                try eventually("the silent one was let go") {
                    var byte: UInt8 = 0
                    return recv(silent.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
                }
                #expect(try work.isOnline)
            }
        }

        @Test("a device with too many connections loses the oldest, is told so, and comes back")
        func connections() throws {
            try serving("connections-per-device = 2\n") { world in
                let work = try world.join("work")
                let home = try world.join("home")
                var clients = try (0..<2).map { _ in
                    try TestClient(work.identity(), to: world.server, saying: [.syncHello])
                }
                try eventually("the agent of work says why it is offline") {
                    try work.agentStatus()?.contains("too many connections at once. Try again in 10s") == true
                }
                #expect(try home.isOnline)
                clients = []
                try eventually("work is online") { try work.isOnline }
                #expect(clients.isEmpty)
            }
        }
    }
}
