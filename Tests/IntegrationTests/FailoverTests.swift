import Foundation
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server whose database has a standby")
    struct FailoverTests {
        /// Runs a test with a server and two laptops, and a database of this name on a primary that has a standby.
        ///
        /// - Parameter isWaiting: whether the primary waits for the standby with each commit.
        private func with(
            waiting isWaiting: Bool,
            _ body: (World, _ primary: TestPostgreSQL, _ standby: TestPostgreSQL, _ name: String) throws ->
                Void
        ) throws {
            let primary = try TestPostgreSQL()
            let name = try primary.makeDatabaseName()
            let standby = try TestPostgreSQL(standbyOf: primary, waits: isWaiting)
            try World.with { world in
                try world.server.set("store = \(primary.addressText(of: name, or: standby))\n")
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.start()
                for name in ["work", "home"] { try world.join(name) }
                try body(world, primary, standby, name)
            }
        }

        @Test(
            "as its primary is killed under load, the standby that takes over has all that was acknowledged, and the server goes on by itself"
        )
        func failover() throws {
            try with(waiting: true) { world, primary, standby, name in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                let before = try world.agree().count
                try eventually("the primary waits for the standby") { try primary.hasSynchronousStandby() }

                let presses = Presses(on: work, atMost: 20)
                try eventually("half of them have come") { try world.server.eventCount() >= before + 10 }
                try primary.stop()
                try presses.end()
                // Nobody acknowledges anything by now.
                let pending = try work.status().sync.pending
                let acknowledged = before + presses.made - pending
                #expect(try standby.eventCount(in: name) >= acknowledged)
                #expect(acknowledged >= before + 10)

                try standby.promote()
                try world.server.becomesReady(true, saying: "ready")
                let log = try world.agree()
                #expect(log.count == before + presses.made)
                #expect(try world.server.eventCount() == log.count)
                #expect(try home.status().label == Presses.label(20, on: work))
                try world.server.done(["verify"])
                #expect(try world.server.stop() == 0)
            }
        }

        @Test(
            "what a standby lacks that takes over, as nobody waited for it, is brought again by who has it"
        )
        func behind() throws {
            try with(waiting: false) { world, primary, standby, name in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                let before = try world.agree().count
                try eventually("the standby has it") { try standby.eventCount(in: name) == before }
                try standby.stop()
                try work.press("label", "Lost")
                try home.press("add", "1m")
                #expect(try world.agree().count == before + 2)

                try primary.stop()
                try standby.start()
                try standby.promote()
                try world.server.becomesReady(true, saying: "ready")
                try eventually("the database has all of it") {
                    try standby.eventCount(in: name) == before + 2
                }
                try world.server.done(["verify"])
                try work.press("label", "Kept")
                #expect(try world.agree().count == before + 3)
                try world.join("spare")
                #expect(try world.agree().count > before + 3)
                #expect(try world.server.stop() == 0)
            }
        }
    }
}
