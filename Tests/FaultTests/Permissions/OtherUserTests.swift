import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite("Another user of the machine", .enabled(if: geteuid() == 0, "needs to be two users"))
    struct OtherUserTests {
        @Test("another user's process is hung up on by the page's server, whatever it knows")
        func page() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                try laptop.startAgent(until: .answering)
                let visitor = try PageVisitor(laptop)
                func answer(to wrapper: ProgramWrapper) throws -> String {
                    try get(
                        "/log.json", visitor.port, "Cookie: \(visitor.cookie)\\r\\n", as: wrapper, world)
                }
                #expect(try answer(to: OrdinaryUser.wrapper) == "")
                #expect(try answer(to: ProgramWrapper()).hasPrefix("HTTP/1.1 200 "))
            }
        }

        @Test(
            "another user's processes that connect without end take neither the page from its user nor a processor"
        )
        func crowd() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                try laptop.startAgent(until: .answering)
                let visitor = try PageVisitor(laptop)
                let process = try #require(laptop.agent?.process)
                let script =
                    "while :; do exec 3<>/dev/tcp/127.0.0.1/\(visitor.port); exec 3>&-; done 2>/dev/null"
                let callers = try (0..<2).map { _ in
                    try Program(path: "/bin/bash").start(
                        ["-c", script], [:], under: OrdinaryUser.wrapper, in: world.folder,
                        log: world.folder.fresh("messages"))
                }
                let before = try processorTime(of: process)
                let began = ContinuousClock.now
                var slowest = Duration.zero
                for _ in 0..<100 {
                    let asked = ContinuousClock.now
                    #expect(try visitor.get("/devices.json").status == 200)
                    slowest = max(slowest, ContinuousClock.now - asked)
                }
                // The callers continue for a while.
                try eventually("some seconds pass") { ContinuousClock.now - began > .seconds(5) }
                let share = (try processorTime(of: process) - before) / (ContinuousClock.now - began)
                #expect(slowest < .seconds(5))
                #expect(share < 0.6, "the agent takes \(share) of a processor")
                #expect(callers.allSatisfy { $0.isRunning })
            }
        }

        /// The processor time that a process has used (proc_pid_stat(5)).
        private func processorTime(of process: pid_t) throws -> Duration {
            let fields =
                text(of: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 12, let own = Double(fields[11]), let system = Double(fields[12]) else {
                throw Unmet("there is no process \(process)")
            }
            return .seconds((own + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
        }

        @Test("a server's metrics and health are there for another user, as Prometheus is")
        func metrics() throws {
            try World.with { world in
                let port = try freePort()
                world.server.metrics = "127.0.0.1:\(port)"
                try world.server.start()
                for path in ["/metrics", "/healthz", "/readyz"] {
                    let answer = try get(path, port, as: OrdinaryUser.wrapper, world)
                    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path): \(answer)")
                }
            }
        }

        /// The answer to a request of a program under this wrapper; empty if the server hangs up.
        private func get(
            _ path: String, _ port: UInt16, _ headers: String = "", as wrapper: ProgramWrapper,
            _ world: World
        ) throws -> String {
            let request =
                "GET \(path) HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\(headers)Connection: close\\r\\n\\r\\n"
            let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; cat <&3"
            return try Program(path: "/bin/bash").start(
                ["-c", script], [:], under: wrapper, in: world.folder,
                log: world.folder.fresh("messages")
            ).wait().output
        }
    }
}
