import Glibc
import IntegrationSupport
import Testing

extension FaultTests {
    @Suite("Another user of the machine", .enabled(if: geteuid() == 0, "needs to be two users"))
    struct OtherUserTests {
        @Test("another user's process is hung up on by the page's server, whatever it knows")
        func page() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                try laptop.beginAgent()
                try eventually("the agent runs") { try laptop.agentStatus() != nil }
                let visitor = try PageVisitor(laptop)
                func answer(to surroundings: Surroundings) throws -> String {
                    try get(
                        "/log.json", visitor.port, "Cookie: \(visitor.cookie)\\r\\n", as: surroundings, world)
                }
                #expect(try answer(to: OrdinaryUser.surroundings) == "")
                #expect(try answer(to: Surroundings()).hasPrefix("HTTP/1.1 200 "))
            }
        }

        @Test("a server's metrics and health are there for another user, as Prometheus is")
        func metrics() throws {
            try World.with { world in
                let port = try freePort()
                world.server.metrics = "127.0.0.1:\(port)"
                try world.server.start()
                for path in ["/metrics", "/healthz", "/readyz"] {
                    let answer = try get(path, port, as: OrdinaryUser.surroundings, world)
                    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path): \(answer)")
                }
            }
        }

        /// What a program in these surroundings is answered; nothing where it is hung up on.
        private func get(
            _ path: String, _ port: UInt16, _ headers: String = "", as surroundings: Surroundings,
            _ world: World
        ) throws -> String {
            let request =
                "GET \(path) HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\(headers)Connection: close\\r\\n\\r\\n"
            let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; cat <&3"
            return try Program(path: "/bin/bash").start(
                ["-c", script], [:], under: surroundings, in: world.folder,
                log: world.folder.fresh("messages")
            ).wait().output
        }
    }
}
