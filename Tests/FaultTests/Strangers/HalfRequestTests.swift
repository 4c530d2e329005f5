import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite("Requests for health that are never whole")
    struct HalfRequestTests {
        /// The time that a load balancer waits for an answer, or less.
        private static let bound = Duration.seconds(2)

        private func expectReady(_ world: World, times: Int) throws {
            for _ in 0..<times {
                let began = ContinuousClock.now
                var status: Int?
                // On a busy machine the server may drop this request as the oldest unfinished one. Then it is
                // sent again.
                while status == nil, ContinuousClock.now - began < HalfRequestTests.bound {
                    status = try? world.server.page("/readyz").status
                }
                #expect(status == 200)
                #expect(ContinuousClock.now - began < HalfRequestTests.bound)
            }
        }

        @Test("those that come again and again keep nobody from an answer, nor laptops from each other")
        func again() throws {
            try World.with(["work", "home"]) { world in
                let port = try freePort()
                try world.server.stop()
                world.server.metrics = "127.0.0.1:\(port)"
                try world.server.start()
                try eventually("both are online") { try world.laptops.allSatisfy { try $0.isOnline } }
                let callers = try (0..<2).map { _ in
                    try Program(path: "/bin/bash").start(
                        [
                            "-c",
                            "while :; do exec 3<>/dev/tcp/127.0.0.1/\(port) && printf 'GET /' >&3; done 2>/dev/null",
                        ], [:], in: world.folder, log: world.folder.fresh("messages"))
                }
                try world.laptops[0].press("start", "Work")
                try world.expectPromptPresses(from: world.laptops[0], to: world.laptops[1], "Beside callers")
                try expectReady(world, times: 20)
                #expect(callers.allSatisfy { $0.isRunning })
            }
        }
    }
}
