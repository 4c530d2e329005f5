import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Joining with a history")
    struct JoiningTests {
        @Test("a laptop used alone brings its history along, and takes the group's settings and session")
        func alone() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                try work.press("set", "workLength=40m")
                try work.press("start", "Together")
                let before = try world.agree()

                let alone = world.laptop("alone")
                try alone.press("set", "workLength=10m")
                try alone.press("start", "First", "--ago", "9m")
                try alone.press("stop", "--ago", "5m")
                try alone.press("start", "Second", "--ago", "2m")
                try alone.join(try work.invite())
                try alone.startAgent()

                let log = try world.agree()
                #expect(Set(log).isSuperset(of: before))
                let records = log.filter { $0.contains("\"action\":\"record\"") }
                #expect(records.count == 2)
                #expect(records.contains { $0.contains("\"label\":\"First\"") })
                #expect(records.contains { $0.contains("\"label\":\"Second\"") })
                for laptop in world.laptops {
                    let status = try laptop.status()
                    #expect(status.settings["workLength"] == 2400)
                    #expect(status.label == "Together")
                    #expect(status.sideRuns == [])
                    let history = try laptop.press("log", "--json")
                    #expect(history.contains("First") && history.contains("Second"))
                }
            }
        }
    }
}
