import Foundation
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server whose database has a standby")
    struct FailoverTests {
        @Test(
            "as its primary is killed under load, the standby that takes over has all that was acknowledged, and the server goes on by itself"
        )
        func failover() throws {
            let primary = try TestPostgreSQL()
            let name = try primary.makeDatabaseName()
            let standby = try TestPostgreSQL(standbyOf: primary, waits: true)
            try World.with { world in
                try world.server.set("store = \(primary.addressText(of: name, or: standby))\n")
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.start()
                let (work, home) = (try world.join("work"), try world.join("home"))
                try work.press("start", "Report")
                let before = try world.agree().count
                try eventually("the primary waits for the standby") { try primary.hasSynchronousStandby() }

                let presses = Presses(on: work, atMost: 20)
                try eventually("half of them have come") { try world.server.eventCount() >= before + 10 }
                try primary.stop()
                try presses.end()
                // From here on nothing is acknowledged.
                let pending = try work.status().sync.pending
                let acknowledged = before + presses.made - pending
                #expect(try standby.eventCount(in: name) >= acknowledged)
                #expect(acknowledged >= before + 10)

                try standby.promote()
                try world.server.waitForReadiness(true, saying: "ready")
                let log = try world.agree()
                #expect(log.count == before + presses.made)
                #expect(try world.server.eventCount() == log.count)
                #expect(try home.status().label == Presses.label(20, on: work))
                try world.server.runSuccessfully(["verify"])
                #expect(try world.server.stop() == 0)
            }
        }
    }
}
