import Glibc
import IntegrationSupport
import TestTraits
import Testing

/// A suite of its own that runs beside the other faults, because laptops take a while to notice a silent
/// server.
@Suite("A server that is stopped where it stands", .onThreadOfItsOwn)
struct FrozenServerTests {
    @Test("laptops find that it is silent, go on alone, and agree once it goes on")
    func frozen() throws {
        try World.with(["work", "home", "spare"]) { world in
            try world.laptops[0].press("start", "Work")
            try world.agree()
            let process = try #require(world.server.process)
            process.signal(SIGSTOP)
            for laptop in world.laptops { try laptop.press("label", "While it stands still: \(laptop.name)") }
            // A silent server is noticed after 45 seconds (docs/protocol.md, "Limits").
            try eventually("no laptop takes the server for alive", within: .seconds(120)) {
                try world.laptops.allSatisfy { try $0.status().sync.state != "online" }
            }
            for laptop in world.laptops {
                try laptop.press("label", "Offline: \(laptop.name)")
                #expect(try laptop.status().label == "Offline: \(laptop.name)")
            }
            process.signal(SIGCONT)
            let log = try world.agree()
            #expect(log.count { $0.contains("While it stands still") } == 3)
            #expect(log.count { $0.contains("Offline: ") } == 3)
            #expect(try world.server.eventCount() == log.count)
            for laptop in world.laptops { try eventually("\(laptop.name) is online") { try laptop.isOnline } }
        }
    }
}
