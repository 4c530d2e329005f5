import Foundation
import IntegrationSupport
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
    }
}
