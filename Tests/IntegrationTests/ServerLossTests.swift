import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server that lost what it had, or is another")
    struct ServerLossTests {
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

        @Test("a server set up anew gets the group from one laptop, and the others follow")
        func setUpAnew() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Work")
                try world.agree()
                try home.press("label", "Talk")
                let log = try world.agree()
                let group = try work.status().group
                try world.server.kill()

                let second = Server("second", in: world.folder)
                try second.start()
                try work.join(try second.invite())
                #expect(try second.eventCount() == log.count)
                // A press on a laptop that hasn't moved to the new server yet.
                try home.press("pause")
                try home.join(try work.invite())
                for laptop in world.laptops {
                    try eventually("\(laptop.name) is online") { try laptop.isOnline }
                }
                let after = try world.agree()
                #expect(Set(after).isSuperset(of: log))
                #expect(try second.eventCount() == after.count)
                for laptop in world.laptops {
                    let status = try laptop.status()
                    #expect(status.group == group)
                    #expect(status.status == "paused")
                    #expect(status.label == "Talk")
                }
            }
        }
    }
}
