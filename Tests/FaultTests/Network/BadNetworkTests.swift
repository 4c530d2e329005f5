import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite("A bad network")
    struct BadNetworkTests {
        @Test("three laptops agree though connections are cut at any byte", arguments: [4])
        func cut(seed: UInt64) throws {
            try withNetwork(seed) { world, proxy, random in
                proxy.set(.cut(connections: 12, within: 6_000))
                try pressUntilHarmed(12, proxy, world, &random)
                try world.agree()
            }
        }

        @Test(
            "a laptop whose joining was cut off says what became of its history, or does as the next answer says"
        )
        func cutJoining() throws {
            try withNetwork(8) { world, proxy, _ in
                let work = world.laptops[0]
                for laptop in world.laptops { try laptop.stopAgent() }
                var (alone, settled): ([String], [String]) = ([], [])
                for place in stride(from: 2_500, through: 8_000, by: 500) {
                    let laptop = world.laptop("late\(place)")
                    try laptop.press("start", laptop.name, "--ago", "9m")
                    try laptop.press("stop", "--ago", "1m")
                    let invite = try work.invite()
                    proxy.set(.cut(connections: 1, within: place))
                    let first = try laptop.run("join", invite, "--take-along")
                    proxy.set(.none)
                    let isIn = try laptop.status().group != nil
                    #expect(first.messages.contains("recorded here without a group came along") == isIn)
                    guard first.status != 0 else { continue }
                    let second = try laptop.run("join", invite, "--leave-behind")
                    #expect(second.status == 0, "\(second.messages)")
                    #expect(
                        second.messages.contains("recorded here without a group was left behind") == !isIn)
                    if isIn { settled.append(laptop.name) } else { alone.append(laptop.name) }
                }
                #expect(!alone.isEmpty && !settled.isEmpty, "\(alone), \(settled)")
                try work.press("sync")
                let records = try work.log().filter { $0.contains("\"action\":\"record\"") }
                for name in settled { #expect(records.contains { $0.contains("\"\(name)\"") }) }
                for name in alone { #expect(!records.contains { $0.contains("\"\(name)\"") }) }
            }
        }

        @Test("three laptops agree though bits are flipped on the way, and TLS notices each", arguments: [7])
        func corrupted(seed: UInt64) throws {
            try withNetwork(seed) { world, proxy, random in
                proxy.set(.corrupt(connections: 12, within: 5_000))
                try pressUntilHarmed(12, proxy, world, &random)
                try eventually("every connection with a flipped bit was given up") {
                    proxy.corruptedLeft == 0
                }
                try world.agree()
                // No damaged data reached the protocol's layer.
                let said = ([world.server.log] + world.laptops.map(\.agentLog)).map(text).joined()
                for complaint in ["malformed", "doesn't understand", "event=refused", "commit-failed"] {
                    #expect(!said.contains(complaint), "\(complaint)")
                }
            }
        }

        /// Runs a test with three laptops in one group that reach their server through a proxy.
        private func withNetwork(
            _ seed: UInt64, _ body: (World, Proxy, inout SeededGenerator) throws -> Void
        ) throws {
            print("bad network: seed \(seed)")
            try World.with { world in
                let port = try freePort()
                let proxy = try Proxy(to: port, seed: seed)
                defer { proxy.end() }
                world.server.stand(at: port, behind: proxy.port)
                try world.server.start()
                for name in ["work", "home", "spare"] { try world.join(name) }
                try world.laptops[0].press("start", "Work")
                try world.agree()
                var random = SeededGenerator(seed: seed)
                try body(world, proxy, &random)
            }
        }

        /// Presses `count` times, each time on a random laptop.
        private func press(_ count: Int, _ world: World, _ random: inout SeededGenerator) throws {
            for number in 0..<count {
                let laptop = world.laptops[Int.random(in: 0..<world.laptops.count, using: &random)]
                try laptop.press("label", "press \(number) on \(laptop.name)")
            }
        }

        /// Presses until `count` connections were harmed.
        private func pressUntilHarmed(
            _ count: Int, _ proxy: Proxy, _ world: World, _ random: inout SeededGenerator
        ) throws {
            try eventually("\(count) connections are harmed, not \(proxy.harmed)") {
                try press(1, world, &random)
                return proxy.harmed >= count
            }
        }
    }
}
