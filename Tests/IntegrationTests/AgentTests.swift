import FocusNet
import Glibc
import Testing

extension IntegrationTests {
    @Suite("The agent")
    struct AgentTests {
        @Test("an agent ends in good order though somebody stays connected to it")
        func endingWithAVisitor() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let visitor = try #require(LocalSocket.connected(to: "\(work.home)/agent.sock"))
                defer { close(visitor) }
                try work.stopAgent()
            }
        }
    }
}
