import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("The server's clock")
    struct ServerClockTests {
        @Test("a clock that jumps while the server runs is shown everywhere, harms nobody, and is accepted")
        func jump() throws {
            try World.with { world in
                let server = world.server
                server.metrics = "127.0.0.1:\(try freePort())"
                let clock = try AdjustableClock(in: world.folder)
                try server.start(clock: clock.clock)
                let work = try world.join("work")
                try work.press("start", "Before")
                try world.agree()
                try server.waitForReadiness(true, saying: "ready")

                // The clock was an hour slow and is corrected.
                try clock.set("+1h")
                try server.waitForReadiness(false, saying: "The clock has jumped ahead by 3")
                #expect(try server.samples()["focusd_clock_sure"] == 0)
                try eventually("the log says so") {
                    try !server.logLines("level=error event=clock-not-sure").isEmpty
                }
                #expect(
                    try server.runSuccessfully(["status"]).output.contains("Its clock has jumped ahead by 3"))
                let shown = try server.runSuccessfully(["clock"])
                #expect(
                    shown.output.contains("isn't sure of it: it has jumped ahead by 3"), "\(shown.output)")
                #expect(shown.messages.contains("clock accept"))
                try work.press("label", "Meanwhile")
                #expect(try server.eventCount() < work.log().count)
                let refused = try work.run("sync")
                #expect(refused.status == 5 && refused.output == "Not in sync: 0 changes sent, 0 received.\n")
                #expect(refused.messages.contains("isn't sure of its clock"), "\(refused.messages)")

                try server.runSuccessfully(["clock", "accept"])
                try server.waitForReadiness(true, saying: "ready")
                #expect(try !server.logLines("event=clock-accepted").isEmpty)
                #expect(try server.run(["clock", "accept"]).status == 3)
                try work.press("sync")
                #expect(try server.eventCount() == work.log().count)
                #expect(try server.samples()["focusd_clock_sure"] == 1)
            }
        }

        @Test("a clock behind the time served is accepted while the server runs, or as it starts")
        func behind() throws {
            try World.with(["work"]) { world in
                let (work, server) = (world.laptops[0], world.server)
                try work.press("start", "Before")
                try world.agree()
                for words in [["clock", "accept"], ["serve"]] {
                    try server.stop()
                    try server.start(clock: WrongClock(words == ["serve"] ? "-2h" : "-1h"))
                    let standing = try server.runSuccessfully(["clock"]).output
                    #expect(standing.contains("s behind the time served before"), "\(standing)")
                    #expect(try !server.logLines("event=clock-not-sure").isEmpty)
                    guard words == ["clock", "accept"] else { continue }
                    try server.runSuccessfully(words)
                    try eventually("the server is sure of its clock") {
                        try server.runSuccessfully(["clock"]).output.contains("The server is sure of it.")
                    }
                }
                try server.stop()
                try server.start("--accept-clock", clock: WrongClock("-2h"))
                #expect(try server.runSuccessfully(["clock"]).output.contains("The server is sure of it."))
            }
        }
    }
}
