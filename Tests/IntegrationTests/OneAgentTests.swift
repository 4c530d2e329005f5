import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("One agent for a log")
    struct OneAgentTests {
        /// A laptop and its person, who runs commands in different environments: with a runtime folder and
        /// without one.
        private struct Person {
            let world: World
            let home: String
            var runtime: String { "\(home)/run" }

            init(_ world: World) throws {
                self.world = world
                home = world.folder.file("person")
                try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
            }

            var data: String { "\(home)/.local/share/focus" }
            var log: String { text(of: "\(data)/agent.log") }

            var bare: [String: String] {
                ["HOME": home, "LOCKSTEP_TEST": world.folder.path, "FOCUS_NO_AGENT": "", "TZ": Laptop.zone]
            }

            var session: [String: String] { bare.merging(["XDG_RUNTIME_DIR": runtime]) { _, new in new } }

            @discardableResult
            func run(_ words: String..., in variables: [String: String]) throws -> Outcome {
                try Program.focus.start(
                    words, variables, in: world.folder, log: world.folder.fresh("messages")
                ).wait()
            }

            /// The agent's process, as a command in this environment finds it.
            func agent(in variables: [String: String]) throws -> Status? {
                let outcome = try run("agent", "--json", in: variables)
                return outcome.status == 0
                    ? try JSONDecoder().decode(Status.self, from: Data(outcome.output.utf8)) : nil
            }

            struct Status: Decodable, Equatable {
                let process: Int32
                let socket: String
            }

            /// The number of agents that have started.
            var begun: Int { log.components(separatedBy: " started, process").count - 1 }
        }

        @Test("commands without the session's variables use the agent that the session has")
        func environments() throws {
            try World.with { world in
                let person = try Person(world)
                try person.run("start", "A", in: person.session)
                let first = try waitForValue("the agent runs") { try person.agent(in: person.session) }
                #expect(first.socket == "\(person.runtime)/focus/agent.sock")
                #expect(try person.agent(in: person.bare) == first)
                try person.run("label", "B", in: person.bare)
                #expect(try person.agent(in: person.bare) == first)
                let said = try person.run("agent", in: person.bare).output
                #expect(said.contains("It listens at \(first.socket) and not at \(person.data)/agent.sock"))
                #expect(try !person.run("agent", in: person.session).output.contains("listens"))
                let second = try person.run("agent", "run", in: person.bare)
                #expect(second.status == 3)
                #expect(second.messages == "focus: The agent is already running.\n")
                #expect(person.begun == 1)
                #expect(try person.run("agent", "stop", in: person.bare).status == 0)
                #expect(try person.run("agent", in: person.session).status == 3)
            }
        }

        @Test("where another file has taken the socket's place, the agent is found elsewhere")
        func replaced() throws {
            try World.with { world in
                let person = try Person(world)
                try person.run("start", "A", in: person.session)
                let agent = try waitForValue("the agent runs") { try person.agent(in: person.session) }
                try FileManager.default.removeItem(atPath: agent.socket)
                try Data().write(to: URL(fileURLWithPath: agent.socket))
                let found = try waitForValue("it is found again") { try person.agent(in: person.session) }
                #expect(found.process == agent.process)
                #expect(found.socket == "\(person.data)/agent.sock")
                #expect(FileManager.default.contents(atPath: agent.socket) == Data())
            }
        }

        @Test("where another agent has taken the lock, the agent notices and ends")
        func displaced() throws {
            try World.with { world in
                let person = try Person(world)
                try person.run("start", "A", in: person.session)
                let old = try waitForValue("the agent runs") { try person.agent(in: person.session) }
                try FileManager.default.removeItem(atPath: "\(person.data)/agent.lock")
                try person.run("label", "B", in: person.bare)
                let new = try waitForValue("another runs") { try person.agent(in: person.bare) }
                #expect(new.process != old.process)
                try eventually("the old one ends") { kill(old.process, 0) != 0 }
                #expect(person.log.contains("the lock is gone, and another agent may run"))
                #expect(try person.agent(in: person.session) == new)
            }
        }

        @Test("an agent that doesn't answer is named with what ends it, and the next change starts another")
        func paused() throws {
            try World.with { world in
                let person = try Person(world)
                try person.run("start", "A", in: person.session)
                let old = try waitForValue("the agent runs") { try person.agent(in: person.session) }
                kill(old.process, SIGSTOP)
                defer { kill(old.process, SIGKILL) }
                try eventually("it is stopped") {
                    try String(contentsOfFile: "/proc/\(old.process)/status", encoding: .utf8)
                        .contains("State:\tT")
                }
                let status = try person.run("agent", in: person.session)
                #expect(status.status == 1 && status.messages.contains("doesn't answer"), "\(status)")
                let stop = try person.run("agent", "stop", in: person.session)
                #expect(stop.messages.contains("or end it: kill -KILL \(old.process)\n"), "\(stop)")
                kill(old.process, SIGKILL)
                try person.run("label", "B", in: person.session)
                let new = try waitForValue("another runs") { try person.agent(in: person.session) }
                #expect(new.process != old.process)
            }
        }

        @Test("two logs of one session have an agent each, and each is told of its own presses")
        func twoLogs() throws {
            try World.with { world in
                let person = try Person(world)
                let other = person.session.merging(["XDG_DATA_HOME": "\(person.home)/other"]) { _, new in new
                }
                try person.run("start", "A", in: person.session)
                let first = try waitForValue("the agent runs") { try person.agent(in: person.session) }
                try person.run("start", "Other", in: other)
                let second = try waitForValue("the other log's agent runs") { try person.agent(in: other) }
                #expect(second.process != first.process)
                #expect(try person.agent(in: person.session) == first)
                #expect(try person.run("agent", "stop", in: other).status == 0)
                #expect(try person.agent(in: person.session) == first)
            }
        }
    }
}
