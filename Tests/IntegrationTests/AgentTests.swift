import FocusNet
import Glibc
import IntegrationSupport
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

        @Test("an agent that doesn't answer is told from none")
        func silence() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                work.freezeAgent()
                for words in [["agent"], ["agent", "stop"]] {
                    let outcome = try work.start(words).wait()
                    #expect(outcome.status == 1)
                    #expect(outcome.messages.contains("doesn't answer"))
                }
                work.thawAgent()
                // It hears of the second now.
                try eventually("the agent ends") { try work.run("agent").status == 3 }
            }
        }

        @Test("a laptop whose folder lies deep has an agent too")
        func deepFolder() throws {
            try World.with(["work"]) { world in
                let deep = world.laptop(
                    String(repeating: "d", count: 60) + "/" + String(repeating: "e", count: 60))
                try deep.join(world.laptops[0].invite())
                deep.startsAgentByItself = true
                try deep.press("start", "Deep")
                try eventually("the press arrives") { try world.laptops[0].status().label == "Deep" }
                #expect(try deep.isOnline)
            }
        }
    }
}
