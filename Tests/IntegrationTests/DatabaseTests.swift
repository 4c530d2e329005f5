import IntegrationSupport
import ServerSupport
import Testing

extension IntegrationTests {
    @Suite("A server whose store is in PostgreSQL")
    struct DatabaseTests {
        @Test(
            "nothing acknowledged is lost as the database crashes, and the server goes on by itself once it is back"
        )
        func crash() throws {
            let database = try TestPostgreSQL()
            try World.with { world in
                try world.server.set("store = \(database.makeDatabaseText())\n")
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.start()
                let (work, home) = (try world.join("work"), try world.join("home"))
                try work.press("start", "Report")
                var events = try world.agree().count
                for round in 1...3 {
                    try database.stop()
                    try world.server.waitForReadiness(
                        false, saying: "The database with the store can't be reached")
                    // Presses stay on the laptop until the server can store them.
                    try work.press("label", "Round \(round)")
                    try home.press("add", "1m")
                    #expect(try world.server.run(["status"]).status == 1)
                    try database.start()
                    try world.server.waitForReadiness(true, saying: "ready")
                    let log = try world.agree()
                    #expect(log.count == events + 2)
                    events = log.count
                    #expect(try world.server.eventCount() == events)
                }
                #expect(try home.status().label == "Round 3")
                try world.server.runSuccessfully(["verify"])
                #expect(try world.server.stop() == 0)
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
    }
}
