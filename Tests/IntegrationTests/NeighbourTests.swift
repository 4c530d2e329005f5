import Foundation
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Two servers on one database")
    struct NeighbourTests {
        /// The database that the servers share.
        private struct Database {
            let postgreSQL: TestPostgreSQL
            let name: String

            init() throws {
                postgreSQL = try TestPostgreSQL()
                name = try postgreSQL.makeDatabaseName()
            }

            /// The setting that names the database.
            func settings() throws -> String { "store = \(try postgreSQL.addressText(of: name))\n" }

            /// Changes the version that the tables claim to have.
            func claim(version: Int) throws {
                try postgreSQL.rows("UPDATE focusd_store SET version = \(version)", in: name)
            }
        }

        /// Runs a test with two servers on one database: the world's server and another one. Invites name
        /// both.
        ///
        /// - Parameter more: Additional lines for both servers' settings.
        private func with(
            _ database: Database? = nil, more: String = "",
            _ body: (_ world: World, _ other: Server) throws -> Void
        ) throws {
            let database = try database ?? Database()
            let settings = try database.settings() + more
            defer { withExtendedLifetime(database) {} }
            try World.with { world in
                let other = Server("other", in: world.folder)
                for server in [world.server, other] { server.metrics = "127.0.0.1:\(try freePort())" }
                defer { try? other.kill() }
                for server in [world.server, other] { try server.set(settings) }
                try world.server.start()
                try FileManager.default.copyItem(
                    atPath: "\(world.server.data)/identity.pem", toPath: "\(other.data)/identity.pem")
                try other.start()
                try other.runSuccessfully([
                    "init", "--address", world.server.address, "--address", other.address,
                ])
                try body(world, other)
            }
        }

        /// The number of devices connected to any server, as each of these servers reports it.
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
                    #expect(
                        try other.runSuccessfully(["status"]).output.contains(server.data), "\(server.data)")
                }

                // With the database's clock, each server knows of the other and of the delay of its news.
                for server in [world.server, other] {
                    try eventually("it counts both") { try server.samples()["focusd_servers"] == 2 }
                    let samples = try server.samples()
                    #expect(samples["focusd_store_info{store=\"postgresql\"}"] == 1)
                    try eventually("the store has answered") {
                        try server.samples()["focusd_store_round_trip_seconds"] ?? 0 > 0
                    }
                }
                #expect(try #require(other.samples()["focusd_news_delay_seconds_count"]) > 0)

                try world.server.kill()
                try home.press("label", "Elsewhere")
                for laptop in world.laptops {
                    try eventually("\(laptop.name) is at the other server") { try laptop.isOnline }
                }
                try world.agree()
                #expect(try work.status().label == "Elsewhere")
                try eventually("both are shown") { try connected(world.server, other) == [2, 2] }

                // A new laptop connects to the first server; the others stay on the second.
                try world.server.start()
                let late = try world.join("late")
                try eventually("all are shown") { try connected(world.server, other) == [3, 3] }
                try late.press("pause")
                try world.agree()
                try work.press("resume")
                let log = try world.agree()
                #expect(try [world.server, other].map { try $0.eventCount() } == [log.count, log.count])

                // A command in one server's folder takes effect on the other.
                let key = try #require(try home.devices().first { $0.this }?.key)
                try world.server.runSuccessfully(["devices", "revoke", key])
                try eventually("the laptop is shut out") { try !home.isOnline }
                try eventually("it is shown") { try connected(world.server, other) == [2, 2] }
                #expect(try other.stop() == 0)
                try world.server.runSuccessfully(["verify"])
            }
        }

        /// HAProxy's settings from docs/scaling.md, for a load balancer at this port of IPv6 and for servers
        /// on this machine.
        private func balancerSettings(at port: UInt16, before servers: Server...) throws -> String {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let page = try String(contentsOf: root.appending(path: "docs/scaling.md"), encoding: .utf8)
            let block = try #require(page.firstMatch(of: /```\n(defaults\n[^`]*)```/))
            var settings = String(block.output.1)
            var places = [("[::]:7853", "[::1]:\(port)")]
            for (number, server) in servers.enumerated() {
                places.append(("10.0.0.\(number + 1):7853", "127.0.0.1:\(try #require(server.port))"))
            }
            for (written, meant) in places {
                #expect(settings.contains(written))
                settings.replace(written, with: meant)
            }
            return settings
        }

        @Test(
            "behind HAProxy, set as the documentation has it, laptops go on as either is killed, and count by where they come from"
        )
        func balanced() throws {
            try with(more: "proxies = 127.0.0.1\n") { world, other in
                let port = try freePort()
                let balancer = try TestBalancer(balancerSettings(at: port, before: world.server, other))
                defer { withExtendedLifetime(balancer) {} }
                try other.runSuccessfully(["init", "--address", "[::1]:\(port)"])
                for name in ["work", "home", "train"] { try world.join(name) }
                try world.laptops[0].press("start", "Report")
                try world.agree()
                for server in [world.server, other] {
                    #expect(try server.connectionCount() > 0)
                    // The load balancer itself connects by IPv4.
                    #expect(
                        try server.logLines("event=connected ").allSatisfy { $0.contains(" peer=[::1]:") })
                }
                for server in [world.server, other] {
                    try server.kill()
                    try world.laptops[1].press("label", "Without \(server.data)")
                    try world.agree()
                    try server.start()
                }
            }
        }

        @Test(
            "where each is replaced in turn while laptops press, nothing is lost, and no laptop is long without a server"
        )
        func replaced() throws {
            try with { world, other in
                for name in ["work", "home"] { try world.join(name) }
                try world.laptops[0].press("start", "Report")
                let before = try world.agree().count
                let presses = world.laptops.map { Presses(on: $0) }
                for server in [world.server, other] {
                    let rest = server === other ? world.server : other
                    #expect(try server.stop() == 0)
                    try eventually("all are at the other server", within: .seconds(10)) {
                        try connected(rest) == [2]
                    }
                    // A copy of the program that stands for the next version.
                    let path = world.folder.file("next-\(try server.eventCount())")
                    try copyProgram(.focusd, to: path)
                    server.program = Program(path: path)
                    try server.start()
                    let made = presses.map(\.made)
                    try eventually("presses go on") { zip(presses, made).allSatisfy { $0.made > $1 } }
                }
                let made = try presses.map { try $0.end(early: true) }
                let log = try world.agree()
                #expect(log.count == before + made.reduce(0, +))
                #expect(try [world.server, other].map { try $0.eventCount() } == [log.count, log.count])
                try world.server.runSuccessfully(["verify"])
                for server in [world.server, other] { #expect(try server.stop() == 0) }
            }
        }

        @Test("servers end whose tables were brought to a newer version while they were cut off from them")
        func outdated() throws {
            let database = try Database()
            try with(database) { world, other in
                try database.claim(version: 99)
                try database.postgreSQL.endConnections(to: database.name)
                for server in [world.server, other] {
                    let process = try #require(server.process)
                    #expect(try process.wait().status == 0)
                    #expect(try server.logLines("event=store-of-another-version found=99").count == 1)
                }
            }
        }
    }
}
