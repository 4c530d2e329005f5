import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Sudden ends")
    struct KillingTests {
        /// The number of kills.
        private static let kills = 50

        @Test("nothing is lost where server and agents are killed at any moment while laptops press")
        func killing() throws {
            let given = ProcessInfo.processInfo.environment["KILLING_SEED"].flatMap { UInt64($0) }
            let seed = given ?? UInt64.random(in: 0...9_999)
            let repeating: Comment =
                "KILLING_SEED=\(seed) repeats who presses, who is killed, and how long after; not what they are at by then"
            print("killing: \(repeating)")
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
                        let label = "press \(pressed)"
                        let laptop = world.laptops[Int.random(in: 0..<3, using: &random)]
                        presses.append((label, try laptop.start(["label", label])))
                    }
                    // A random pause, so that the kill happens at any point of the presses.
                    poll(nil, 0, Int32.random(in: 0...60, using: &random))
                    try kill(
                        Int.random(in: 0..<6, using: &random), waits: .random(using: &random), world,
                        repeating)
                    for press in presses {
                        let outcome = try press.command.wait()
                        #expect(outcome.status == 0, "\(press.label): \(outcome.messages); \(repeating)")
                        if outcome.status == 0 { acknowledged.insert("\"text\":\"\(press.label)\"") }
                    }
                }
                let log = try world.agree()
                let lost = acknowledged.filter { label in !log.contains { $0.contains(label) } }
                #expect(lost.isEmpty, repeating)
                #expect(try world.server.eventCount() == log.count, repeating)
            }
        }

        /// Kills the agent of the laptop of this number, or the server if there is none, and starts it again.
        ///
        /// - Parameter waits: Whether it waits until the server is ready again.
        private func kill(_ victim: Int, waits: Bool, _ world: World, _ repeating: Comment) throws {
            if victim < world.laptops.count {
                try world.laptops[victim].killAgent()
                return try world.laptops[victim].startAgent(until: nil)
            }
            // A killed server still has each event that it had stored.
            let before = try world.server.eventCount()
            try world.server.kill()
            #expect(try world.server.eventCount() >= before, repeating)
            if waits { try world.server.start() } else { try world.server.begin() }
        }

        @Test("a server that is told to end ends in good order while laptops are connected")
        func terminating() throws {
            try World.with(["work", "home"]) { world in
                let work = world.laptops[0]
                #expect(try world.laptops.allSatisfy { try $0.isOnline })
                let press = try work.start(["start", "Work"])
                #expect(try world.server.stop() == 0)
                #expect(try press.wait().status == 0)
                let stopping = try #require(try world.server.logLines("event=stopping ").first)
                let connections = try #require(
                    stopping.split(separator: " ").first { $0.hasPrefix("connections=") })
                #expect(try #require(Int(connections.dropFirst("connections=".count))) >= 2)
                #expect(try world.server.logLines("event=stopped").count == 1)
                // Each laptop was told the reason.
                for laptop in world.laptops {
                    let said = try String(contentsOfFile: laptop.agentLog, encoding: .utf8)
                    #expect(said.contains("offline: The server is shutting down."), "\(said)")
                }
                try world.server.start()
                #expect(try world.agree().count == 4)
            }
        }
    }
}
