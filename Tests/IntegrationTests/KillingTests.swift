import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Sudden ends")
    struct KillingTests {
        /// How often something is killed.
        static let kills = 50

        @Test("nothing is lost where server and agents are killed at any moment while laptops press")
        func killing() throws {
            let seed = UInt64.random(in: 0...9_999)
            print("killing: seed \(seed)")
            var random = SeededGenerator(seed: seed)
            try World.with(["work", "home", "spare"]) { world in
                try world.laptops[0].press("start", "Work")
                try world.agree()
                var acknowledged: Set<String> = []
                var pressed = 0
                for _ in 0..<KillingTests.kills {
                    var presses: [(label: String, command: RunningProgram)] = []
                    for _ in 0..<Int.random(in: 1...2, using: &random) {
                        pressed += 1
                        let laptop = world.laptops[Int.random(in: 0..<3, using: &random)]
                        presses.append(("press \(pressed)", try laptop.start(["label", "press \(pressed)"])))
                    }
                    // Into the middle of whatever goes on: this waits for nothing.
                    poll(nil, 0, Int32.random(in: 0...60, using: &random))
                    try kill(&random, world)
                    for press in presses {
                        let outcome = try press.command.wait()
                        #expect(outcome.status == 0, "\(press.label), seed \(seed): \(outcome.messages)")
                        if outcome.status == 0 { acknowledged.insert("\"text\":\"\(press.label)\"") }
                    }
                }
                let log = try world.agree()
                let lost = acknowledged.filter { label in !log.contains { $0.contains(label) } }
                #expect(lost.isEmpty, "seed \(seed)")
                #expect(try world.server.eventCount() == log.count, "seed \(seed)")
            }
        }

        /// Kills the server or an agent, and starts it again.
        private func kill(_ random: inout SeededGenerator, _ world: World) throws {
            let victim = Int.random(in: 0..<6, using: &random)
            guard victim >= 3 else {
                try world.laptops[victim].killAgent()
                return try world.laptops[victim].beginAgent()
            }
            // What it has, it has said that it has.
            let before = try world.server.eventCount()
            try world.server.kill()
            #expect(try world.server.eventCount() >= before)
            if Bool.random(using: &random) { try world.server.start() } else { try world.server.begin() }
        }

        @Test("a server that is told to end ends in good order while laptops are connected")
        func terminating() throws {
            try World.with(["work", "home"]) { world in
                let work = world.laptops[0]
                let press = try work.start(["start", "Work"])
                #expect(try world.server.stop() == 0)
                #expect(try press.wait().status == 0)
                try world.server.start()
                #expect(try world.agree().count == 4)
            }
        }
    }
}
