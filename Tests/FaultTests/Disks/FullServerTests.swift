import IntegrationSupport
import Testing

extension FaultTests {
    @Suite("A server that can't store any more")
    struct FullServerTests {
        @Test(
            "where the server's disk is full it says so, and laptops keep their presses until there is room",
            .enabled(if: SmallDisk.isPossible, "needs the right to mount a disk"))
        func fullDisk() throws {
            try World.with { world in
                let disk = try SmallDisk(over: world.server.data, kibibytes: 2_048, in: world)
                world.server.wrapper = disk.wrapper
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try start(world)
                try disk.fill()
                try pressUntilRefused(world, saying: "The server's disk is full")
                // The server also notices the full disk when it starts.
                try world.server.kill()
                try world.server.begin()
                try world.laptops[0].press("label", "One more")
                try world.server.kill()
                try disk.free()
                try world.server.start()
                try expectEverything(world)

                // This time the server isn't restarted.
                try disk.fill()
                try pressUntilRefused(world, saying: "The server's disk is full")
                try world.server.waitForReadiness(false, saying: "The disk with the store is full")
                try disk.free()
                try expectEverything(world)
                try world.server.waitForReadiness(true, saying: "ready")
            }
        }

        private func start(_ world: World) throws {
            try world.server.start()
            for name in ["work", "home"] { try world.join(name) }
            try world.laptops[0].press("start", "Work")
            try world.agree()
        }

        /// Presses on both laptops until an agent reports that the server refuses events, and then a few more
        /// times.
        private func pressUntilRefused(_ world: World, saying refusal: String) throws {
            let before = try world.laptops[0].log().count
            var presses = 0
            func press() throws {
                presses += 1
                // Long texts, so that only a few events fit into the last free block.
                let text = "press \(presses) " + String(repeating: ".", count: 200)
                try world.laptops[presses % 2].press("label", text)
            }
            try eventually("an agent says '\(refusal)'") {
                try press()
                return try world.laptops.contains { try $0.agentStatus()?.contains(refusal) == true }
            }
            for _ in 0..<4 { try press() }
            let taken = try world.server.eventCount() - before
            #expect(taken < presses)
            // Acknowledged events are stored.
            for laptop in world.laptops {
                let pending = try laptop.status().sync.pending
                #expect(pending > 0)
                #expect(pending + taken >= presses / 2)
            }
        }

        /// Expects that the server and both laptops have all events.
        private func expectEverything(_ world: World) throws {
            let own = try world.laptops.map { Set(try $0.log()) }
            let log = try world.agree()
            #expect(Set(log).isSuperset(of: own[0].union(own[1])))
            #expect(try world.server.eventCount() == log.count)
        }
    }
}
