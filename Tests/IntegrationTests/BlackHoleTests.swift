import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("A server that doesn't answer")
    struct BlackHoleTests {
        /// Far less than connecting may take (10 s), and far more than a press takes.
        static let limit = Duration.seconds(5)

        @Test(
            "presses don't wait for a server that takes connections and says nothing",
            arguments: [true, false])
        func pressing(withAgent: Bool) throws {
            try World.with { world in
                try world.server.start()
                let laptop = world.laptop("work")
                try laptop.join(try world.server.invite())
                try world.server.stop()
                let deaf = try world.server.silentSocket()
                if withAgent {
                    try laptop.startAgent(until: .answering)
                }
                let clock = ContinuousClock()
                for words in [["start", "Work"], ["pause"], ["resume"], ["status"]] {
                    let took = try clock.measure { try laptop.press(words) }
                    #expect(took < BlackHoleTests.limit, "\(words)")
                }
                #expect(try laptop.status().sync.state != "online")
                #expect(try laptop.status().sync.pending == 3)
                _ = consume deaf
            }
        }
    }
}
