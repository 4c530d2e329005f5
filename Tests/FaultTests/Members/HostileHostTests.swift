import Adversary
import Foundation
import IntegrationSupport
import Testing

extension FaultTests {
    /// Floods of data from the host of a group's server to a laptop.
    @Suite("A host that floods a laptop")
    struct HostileHostTests {
        /// The greatest number of bytes that the host sends. It is many times as much as a laptop keeps.
        private static let most = 200 << 20

        @Test(
            "fills neither its memory nor its disk, is hung up on and named, and what it made up goes once it is honest",
            arguments: [Flood.longRecords, .events])
        func floods(flood: Flood) throws {
            try World.with { world in
                let loop = try AttackLoop()
                let host = try HostileHost(port: freePort(), on: loop, seed: 1)
                let laptop = world.laptop("desk")
                try laptop.press("start", "Work")
                try laptop.join(host.invite())
                try laptop.startAgent()
                let before = try peakMemory(of: laptop.agent)
                host.send(flood, most: Self.most)
                if flood == .events {
                    // Unreadable events stay on the server; everything else continues.
                    try eventually("all was sent: \(host.sent)") { host.sent >= Self.most }
                } else {
                    try eventually("it is hung up on") { host.ended > 0 }
                }
                try eventually("\(host.address) is named") {
                    // During a flood an agent may not answer in time.
                    (try? laptop.press("agent", "status"))?.contains(
                        "The server at \(host.address) sends ") ?? false
                }
                #expect(try peakMemory(of: laptop.agent) - before < 320 << 20)
                #expect(disk(of: laptop) < 100 << 20)
                let began = ContinuousClock.now
                #expect(try laptop.press("status").contains("Work"))
                #expect(ContinuousClock.now - began < .seconds(1))

                host.send(nil)
                try laptop.press("label", "After")
                // The sync connects at once, so the agent reconnects at once too.
                try eventually("a sync reaches it") { (try? laptop.press("sync")) != nil }
                try eventually("the laptop is online") { (try? laptop.isOnline) ?? false }
                try eventually("the disk is given back: \(disk(of: laptop))") { disk(of: laptop) < 16 << 20 }
                #expect(try laptop.status().sync.pending == 0)
            }
        }

        /// The size of the laptop's log on the disk, in bytes.
        private func disk(of laptop: Laptop) -> Int {
            ["log.db", "log.db-wal"].reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(laptop.home)/\(name)")
                return sum + ((attributes?[.size] as? Int) ?? 0)
            }
        }
    }
}
