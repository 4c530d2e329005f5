import IntegrationSupport
import Testing

extension FaultTests {
    @Suite(
        "A laptop whose disk is full", .enabled(if: SmallDisk.isPossible, "needs the right to mount a disk"))
    struct FullLaptopTests {
        @Test("a press that finds the disk full says so and changes nothing; with room again it works")
        func connected() throws {
            try World.with { world in
                let (work, disk) = try laptop(world)
                try world.server.start()
                try work.join(try world.server.invite())
                try work.startAgent()
                let home = try world.join("home")
                try work.press("start", "Work")
                try world.agree()

                try disk.fill()
                let kept = try pressUntilFull(work)
                // The full disk keeps other laptops' presses out too, but the agent continues.
                for number in 1...5 { try home.press("label", "meanwhile \(number)") }
                try eventually("the agent says that the disk is full") {
                    try work.agentStatus()?.contains("disk is full") == true
                }
                #expect(try work.log().filter { $0.contains("press ") }.count == kept)

                try disk.free()
                try work.press("label", "Room again")
                let log = try world.agree()
                #expect(log.filter { $0.contains("press ") }.count == kept)
                #expect(log.filter { $0.contains("meanwhile ") }.count == 5)
                #expect(try home.status().label == "Room again")
            }
        }

        @Test("what is, and what was, is shown on a disk that can't be written, and nothing is pressed there")
        func readOnly() throws {
            try World.with { world in
                let (work, disk) = try laptop(world)
                try work.press("start", "Work")
                try disk.setWritable(false)
                let status = try work.run("status", "--format", "{label}")
                #expect(status.status == 0 && status.output == "Work\n", "\(status.messages)")
                let log = try work.log()
                let press = try work.run("stop")
                #expect(press.status == 1)
                #expect(press.messages.contains("\(work.home)/log.db"), "\(press.messages)")
                try disk.setWritable(true)
                #expect(try work.log() == log)
                try work.press("stop")
            }
        }

        private func laptop(_ world: World) throws -> (Laptop, SmallDisk) {
            let laptop = world.laptop("work")
            let disk = try SmallDisk(over: laptop.home, kibibytes: 1_024, in: world)
            laptop.wrapper = disk.wrapper
            return (laptop, disk)
        }

        /// Presses until a press fails, and returns the number of successful presses.
        private func pressUntilFull(_ laptop: Laptop) throws -> Int {
            var presses = 0
            while true {
                let text = "press \(presses + 1) " + String(repeating: ".", count: 200)
                let outcome = try laptop.run("label", text)
                guard outcome.status == 0, presses < 500 else {
                    try expectFull(outcome, laptop)
                    return presses
                }
                presses += 1
            }
        }

        private func expectFull(_ outcome: Outcome, _ laptop: Laptop) throws {
            #expect(outcome.status == 1)
            #expect(outcome.messages.contains("disk is full"), "\(outcome.messages)")
            #expect(outcome.messages.contains("\(laptop.home)/log.db"), "\(outcome.messages)")
        }
    }
}
