import Foundation
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Two servers on one database")
    struct NeighbourTests {
        /// Runs a test with two servers that serve from a database of this test's own, of which invites name both, the world's
        /// first.
        private func with(_ body: (_ world: World, _ other: Server) throws -> Void) throws {
            let database = try TestPostgreSQL()
            let store = try database.makeDatabaseText()
            try World.with { world in
                let other = Server("other", in: world.folder)
                defer { try? other.kill() }
                for server in [world.server, other] { try server.set("store = \(store)\n") }
                try world.server.start()
                try FileManager.default.copyItem(
                    atPath: "\(world.server.data)/identity.pem", toPath: "\(other.data)/identity.pem")
                try other.start()
                try other.done(["init", "--address", world.server.address, "--address", other.address])
                try body(world, other)
            }
        }

        /// How many devices are connected to any of the servers, as each of them says.
        private func connected(_ servers: Server...) throws -> [Int] {
            try servers.map { try $0.devices().count(where: \.connected) }
        }

        @Test(
            "where one is killed, laptops go on with the other, and are in step across both once it is back")
        func killed() throws {
            try with { world, other in
                for name in ["work", "home"] { try world.join(name) }
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                try world.agree()
                try eventually("both are shown") { try connected(world.server, other) == [2, 2] }
                for server in [world.server, other] {
                    #expect(try other.done(["status"]).output.contains(server.data), "\(server.data)")
                }

                try world.server.kill()
                try home.press("label", "Elsewhere")
                for laptop in world.laptops {
                    try eventually("\(laptop.name) is at the other server") { try laptop.isOnline }
                }
                try world.agree()
                #expect(try work.status().label == "Elsewhere")
                try eventually("both are shown") { try connected(world.server, other) == [2, 2] }

                // Whoever comes now is at the first, and the others are at the second.
                try world.server.start()
                let late = try world.join("late")
                try eventually("all are shown") { try connected(world.server, other) == [3, 3] }
                try late.press("pause")
                try world.agree()
                try work.press("resume")
                let log = try world.agree()
                #expect(try [world.server, other].map { try $0.eventCount() } == [log.count, log.count])

                // A command in one's folder holds at the other.
                let key = try #require(try home.devices().first { $0.this }?.key)
                try world.server.done(["devices", "revoke", key])
                try eventually("the laptop is shut out") { try !home.isOnline }
                try eventually("it is shown") { try connected(world.server, other) == [2, 2] }
                #expect(try other.stop() == 0)
                try world.server.done(["verify"])
            }
        }
    }
}
