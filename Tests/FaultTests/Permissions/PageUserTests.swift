import Glibc
import IntegrationSupport
import Testing

extension FaultTests {
    @Suite("Another user of the machine", .enabled(if: geteuid() == 0, "needs to be two users"))
    struct PageUserTests {
        @Test("another user's process is hung up on by the page's server, whatever it knows")
        func otherUsers() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                try laptop.beginAgent()
                try eventually("the agent runs") { try laptop.agentStatus() != nil }
                let visitor = try PageVisitor(laptop)
                func answer(to surroundings: Surroundings) throws -> String {
                    let request =
                        "GET /log.json HTTP/1.1\\r\\nHost: \(visitor.host)\\r\\nCookie: \(visitor.cookie)\\r\\n"
                        + "Connection: close\\r\\n\\r\\n"
                    let script =
                        "exec 3<>/dev/tcp/127.0.0.1/\(visitor.port); printf '\(request)' >&3; cat <&3"
                    return try Program(path: "/bin/bash").start(
                        ["-c", script], [:], under: surroundings, in: world.folder,
                        log: world.folder.fresh("messages")
                    ).wait().output
                }
                #expect(try answer(to: OrdinaryUser.surroundings) == "")
                #expect(try answer(to: Surroundings()).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }
}
