import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server that is started anew")
    struct RestartTests {
        @Test(
            "laptops are told that it shuts down and come back; a press made meanwhile arrives, and the list says who"
        )
        func restart() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Work")
                try world.agree()
                #expect(try world.server.stop() == 0)
                for laptop in world.laptops {
                    try eventually("\(laptop.name) has heard of it") {
                        text(of: laptop.agentLog).contains("The server is shutting down")
                    }
                }
                try home.press("label", "Meanwhile")
                try world.server.start()
                for laptop in world.laptops {
                    try eventually("\(laptop.name) is back") { try laptop.isOnline }
                }
                #expect(try world.agree().contains { $0.contains("Meanwhile") })
                #expect(try work.status().label == "Meanwhile")

                // Who is there, under the operator's names.
                let key = try #require(try home.devices().first { $0.this }?.key)
                try world.server.done(["devices", "rename", String(key.prefix(12)), "Home's"])
                try eventually("the list has both connected") {
                    try world.server.done(["devices"]).output.matches(of: #/connected since .* with focus /#)
                        .count == 2
                }
                #expect(try world.server.done(["devices"]).output.contains("'Home's'"))
            }
        }
    }
}
