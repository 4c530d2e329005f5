import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("The life of a session")
    struct SessionTests {
        @Test("three laptops agree through the life of a session")
        func life() throws {
            try World.with(["work", "home", "spare"]) { world in
                let (work, home, spare) = (world.laptops[0], world.laptops[1], world.laptops[2])

                /// Presses on one laptop, and waits until all laptops agree on the result.
                func press(_ laptop: Laptop, _ words: String..., expecting expected: (Status) -> Bool) throws
                {
                    let before = try laptop.log().count
                    try laptop.press(words)
                    #expect(try world.agree().count == before + 1, "\(words)")
                    for laptop in world.laptops {
                        let status = try laptop.status()
                        #expect(expected(status), "after \(words) \(laptop.name) shows \(status)")
                    }
                }

                try press(work, "start", "Plan") {
                    $0.status == "running" && $0.label == "Plan" && $0.ordinal == 0
                }
                try press(home, "pause") { $0.status == "paused" }
                try press(spare, "resume") { $0.status == "running" }
                try press(home, "skip") { $0.activity == "shortBreak" && $0.ordinal == 1 }
                try press(work, "label", "Talk") { $0.label == "Talk" }
                try press(spare, "add", "5m") { $0.addedMs == 300_000 && $0.remainingMs > 300_000 }
                try press(home, "set", "workLength=50m") { $0.settings["workLength"] == 3000 }
                try press(spare, "undo", "--yes") { $0.settings["workLength"] == 1500 }
                try press(work, "stop") { $0.status == "stopped" && $0.run == nil }
            }
        }

        @Test("a press starts the agent by itself, on a laptop that is alone too, and one is enough")
        func startingTheAgent() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let home = world.laptop("home")
                home.startsAgentByItself = true
                try home.press("start", "Alone")
                try eventually("home has an agent") { try home.agentStatus() != nil }
                try home.join(try work.invite())
                try eventually("home is online") { try home.isOnline }
                let agent = try home.agentStatus()
                try work.press("start", "Together")
                try home.press("devices", "rename", "kitchen")
                try world.agree()
                #expect(try home.agentStatus() == agent)
                #expect(try home.status().online == ["kitchen", "work"])
                #expect(try home.run("agent", "stop").status == 0)
                #expect(try home.agentStatus() == nil)
                try eventually("work sees home leave") { try work.status().online == ["work"] }
            }
        }

        @Test(
            "who follows a session ends once nobody reads it, though nothing changes",
            arguments: [true, false])
        func unreadFollower(hasAgent: Bool) throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                if !hasAgent { try work.stopAgent() }
                work.wrapper = ProgramWrapper(
                    ["/bin/sh", "-c", "(\"$@\"; echo ended >&2) | head -n 1", "sh"])
                let follower = try work.start(["status", "--follow"])
                try eventually("the follower ends: \(follower.messages)") {
                    follower.messages.contains("ended")
                }
                #expect(follower.output == "Work  25:00  (stopped)\n")
                #expect(follower.messages == "ended\n")
            }
        }

        @Test("a laptop that follows shows a press on another within a second")
        func following() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                let follower = try home.start(["status", "--follow", "--format", "{state}"])
                try eventually("the follower shows something") { follower.output == "stopped\n" }
                var shown = "stopped\n"
                var fastest = Duration.seconds(3_600)
                // The fastest of three counts, because the machine may be busy.
                for (press, state) in [("start", "running"), ("pause", "paused"), ("resume", "running")] {
                    try work.press(press)
                    shown += "\(state)\n"
                    let took = try eventually("the follower shows '\(shown)', not '\(follower.output)'") {
                        follower.output == shown
                    }
                    fastest = min(fastest, took)
                }
                #expect(fastest < .seconds(1))
            }
        }
    }
}
