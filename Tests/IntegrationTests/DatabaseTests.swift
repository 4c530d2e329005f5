import Foundation
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server whose store is in PostgreSQL")
    struct DatabaseTests {
        /// Runs a test with a server that stores in a database of this test's own, and laptops in one group.
        private func with(
            _ names: [String], _ body: (World, TestPostgreSQL) throws -> Void
        ) throws {
            let database = try TestPostgreSQL()
            try World.with { world in
                try world.server.set("store = \(database.makeDatabaseText())\n")
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.start()
                for name in names { try world.join(name) }
                try body(world, database)
            }
        }

        @Test("laptops are in step through it, and what an operator decides holds")
        func together() throws {
            try with(["work", "home"]) { world, _ in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                try world.agree()
                #expect(try home.status().label == "Report")
                try home.press("pause")
                let log = try world.agree()
                #expect(try world.server.eventCount() == log.count)
                let group = try #require(try work.status().group)
                try world.server.done(["groups", "rename", group, "The team"])
                #expect(try world.server.done(["groups"]).output.contains("'The team'"))
                #expect(try world.server.page("/readyz").status == 200)
                #expect(try world.server.samples()["focusd_database_size_bytes"] == nil)

                try world.server.kill()
                try world.server.start()
                #expect(try world.server.eventCount() == log.count)
                for laptop in world.laptops {
                    try eventually("\(laptop.name) is back") { try laptop.isOnline }
                }
                try work.press("resume")
                try world.agree()
                let key = try #require(try home.devices().first { $0.this }?.key)
                try world.server.done(["devices", "revoke", key])
                try eventually("the laptop is shut out") { try !home.isOnline }
                try world.server.done(["groups", "delete", "The team", "--yes"])
                #expect(try world.server.groups().isEmpty)
                #expect(try world.server.done(["verify"]).output.contains("is whole. Groups: 0. Events: 0."))
                #expect(!FileManager.default.fileExists(atPath: "\(world.server.data)/focusd.db"))
            }
        }

        @Test(
            "nothing acknowledged is lost as the database crashes, and the server goes on by itself once it is back"
        )
        func crash() throws {
            try with(["work", "home"]) { world, database in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                var events = try world.agree().count
                for round in 1...3 {
                    try database.stop()
                    try world.server.becomesReady(
                        false, saying: "The database with the store can't be reached")
                    // Kept where it was pressed until the server can store it.
                    try work.press("label", "Round \(round)")
                    try home.press("add", "1m")
                    #expect(try world.server.run(["status"]).status == 1)
                    try database.start()
                    try world.server.becomesReady(true, saying: "ready")
                    let log = try world.agree()
                    #expect(log.count == events + 2)
                    events = log.count
                    #expect(try world.server.eventCount() == events)
                }
                #expect(try home.status().label == "Round 3")
                try world.server.done(["verify"])
                #expect(try world.server.stop() == 0)
            }
        }

        @Test("a database that doesn't answer is told of, and once it does, what was pressed is stored, once")
        func frozen() throws {
            try with(["work", "home"]) { world, database in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                let before = try world.agree()
                try database.freeze()
                try work.press("label", "Meanwhile")
                try world.server.becomesReady(
                    false, saying: "The database with the store hasn't answered for")
                // Only the store is waited for, and nobody was told that it has the press.
                #expect(try world.server.page("/healthz").status == 200)
                #expect(try work.status().sync.pending > 0)
                try database.thaw()
                try world.server.becomesReady(true, saying: "ready")
                #expect(try world.agree().count == before.count + 1)
                #expect(try home.status().label == "Meanwhile")
                try world.server.done(["verify"])
            }
        }

        @Test("a database over the network has to prove its name, unless the operator says that it needn't")
        func certificate() throws {
            let port = try freePort()
            let database = try TestPostgreSQL(port: port)
            try World.with { world in
                func outcome(_ host: String, _ more: String) throws -> Outcome {
                    try world.server.set("store = postgresql://postgres@\(host):\(port)/postgres\(more)\n")
                    return try world.server.run(["init", "--address", "127.0.0.1"])
                }
                let authority = "?sslrootcert=\(database.certificate)"
                for (host, more, what) in [
                    ("localhost", "", "certificate verify failed"),
                    ("127.0.0.1", authority, "does not match host name"),
                ] {
                    let refused = try outcome(host, more)
                    #expect(refused.status == 1 && refused.messages.contains(what), "\(refused.messages)")
                }
                for (host, more) in [("localhost", authority), ("127.0.0.1", "?sslmode=require")] {
                    let accepted = try outcome(host, more)
                    #expect(accepted.status == 0, "\(accepted.messages)")
                }
            }
        }

        @Test("a server's store is moved to a database and back, and laptops go on as before")
        func moving() throws {
            let database = try TestPostgreSQL()
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                let uri = try database.makeDatabaseText()
                try work.press("start", "Report")
                try world.agree()
                let running = try world.server.run(["migrate", "--from", "folder", "--to", uri])
                #expect(running.status == 1 && running.messages.contains("Another focusd serves"))
                try world.server.stop()
                let moved = try world.server.done(["migrate", "--from", "folder", "--to", uri])
                #expect(moved.messages.contains("Moved: groups 1 of 1, events "))
                try FileManager.default.removeItem(atPath: "\(world.server.data)/focusd.db")
                try world.server.set("store = \(uri)\n")
                try world.server.start()
                try eventually("it is back") { try work.isOnline && home.isOnline }
                try home.press("label", "In a database")
                try world.agree()
                try world.server.done(["verify"])

                try world.server.stop()
                try world.server.done(["migrate", "--from", uri, "--to", "folder"])
                try world.server.set("")
                try database.stop()
                try world.server.start()
                try eventually("it is back") { try work.isOnline && home.isOnline }
                try work.press("pause")
                let log = try world.agree()
                #expect(try world.server.eventCount() == log.count)
                try world.server.done(["verify"])
            }
        }

        @Test(
            "a server whose database isn't there yet ends with what is wrong, for its supervisor to start it again"
        )
        func absent() throws {
            try with([]) { world, database in
                try world.server.kill()
                try database.stop()
                let refused = try world.server.run(["serve", "--listen", "127.0.0.1:0", "--metrics", "off"])
                #expect(refused.status == 1 && refused.messages.contains("can't be reached"))
                try database.start()
                try world.server.start()
            }
        }
    }
}
