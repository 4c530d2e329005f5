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
    }
}
