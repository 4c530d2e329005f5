import Foundation
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server whose database has a standby")
    struct FailoverTests {
        /// Presses that are made while something else happens.
        private final class Presses: @unchecked Sendable {
            // Unchecked: what it has counted is read once the thread has ended, and the laptop's commands are processes.
            private(set) var made = 0
            private(set) var failure: (any Error)?
            private let ended = DispatchSemaphore(value: 0)
            private let laptop: Laptop

            /// Begins to press on this laptop, so many times.
            init(_ count: Int, on laptop: Laptop) {
                self.laptop = laptop
                Thread.detachNewThread { [self] in
                    defer { ended.signal() }
                    do {
                        for number in 1...count {
                            try self.laptop.press("label", "Press \(number)")
                            made += 1
                        }
                    } catch {
                        failure = error
                    }
                }
            }

            /// Waits until all are made.
            func wait() throws {
                ended.wait()
                if let failure { throw failure }
            }
        }

        @Test(
            "as its primary is killed under load, the standby that takes over has all that was acknowledged, and the server goes on by itself"
        )
        func failover() throws {
            let primary = try TestPostgreSQL()
            let name = try primary.makeDatabaseName()
            let standby = try TestPostgreSQL(standbyOf: primary)
            try World.with { world in
                try world.server.set("store = \(primary.addressText(of: name, or: standby))\n")
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.start()
                for name in ["work", "home"] { try world.join(name) }
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Report")
                let before = try world.agree().count
                try eventually("the primary waits for the standby") { try primary.hasSynchronousStandby() }

                let presses = Presses(20, on: work)
                try eventually("half of them have come") { try world.server.eventCount() >= before + 10 }
                try primary.stop()
                try presses.wait()
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
                #expect(try home.status().label == "Press 20")
                try world.server.done(["verify"])
                #expect(try world.server.stop() == 0)
            }
        }
    }
}
