import Foundation
import Glibc
import IntegrationSupport
import Synchronization
import TestSupport
import Testing

extension LaptopTests {
    @Suite("What the agent keeps of the command that started it")
    struct AgentSurroundingsTests {
        /// The number of the agent's process.
        private func agent(of laptop: Laptop) throws -> Int32 {
            struct Status: Decodable { let process: Int32 }
            return try waitForValue("the agent runs") {
                let outcome = try laptop.run("agent", "--json")
                guard outcome.status == 0 else { return nil }
                return try JSONDecoder().decode(Status.self, from: Data(outcome.output.utf8)).process
            }
        }

        @Test(
            "no descriptor: what its script holds locked, and whoever reads from that, is free once it ends")
        func descriptors() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                var ends: [Int32] = [-1, -1]
                let isMade = Program.spawning.withLock { _ in
                    pipe(&ends) == 0 && ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
                }
                try #require(isMade)
                let command = try Program.focus.start(
                    ["start", "A"],
                    [
                        "HOME": world.folder.path, "LOCKSTEP_TEST": world.folder.path,
                        "FOCUS_HOME": laptop.home,
                    ],
                    inherited: [ends[1], ends[1]], in: world.folder, log: world.folder.fresh("messages"))
                close(ends[1])
                defer { close(ends[0]) }
                #expect(try command.wait().status == 0)
                _ = try agent(of: laptop)
                // Nobody writes, so only the end of the pipe can arrive.
                var end = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
                try #require(poll(&end, 1, 30_000) == 1)
                var byte: UInt8 = 0
                #expect(read(ends[0], &byte, 1) == 0)
            }
        }

        @Test("nor its folder, time zone and SSH connection; nor do hooks, which begin in the person's home")
        func place() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                let heard = world.folder.file("heard")
                try FileManager.default.createDirectory(
                    atPath: "\(laptop.home)/hooks", withIntermediateDirectories: true)
                let facts = "pwd; echo \"${TZ-none} ${SSH_CONNECTION-none}\"; ls /proc/self/fd"
                try writeScript(
                    "{ \(facts); } >'\(heard).new'; mv '\(heard).new' '\(heard)'",
                    to: "\(laptop.home)/hooks/pause", mode: 0o700)
                let variables = [
                    "HOME": world.folder.path, "LOCKSTEP_TEST": world.folder.path, "FOCUS_HOME": "work",
                    "TZ": "Asia/Tokyo", "SSH_CONNECTION": "::1 50000 ::1 22",
                ]
                let script = "cd '\(world.folder.path)' && exec '\(Program.focus.path)' start A"
                let command = try Program(path: "/bin/sh").start(
                    ["-c", script], variables, in: world.folder, log: world.folder.fresh("messages"))
                #expect(try command.wait().status == 0)
                let process = try agent(of: laptop)
                let place = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
                #expect(place == "/")
                try laptop.press("pause")
                try eventually("the hook has run") { !text(of: heard).isEmpty }
                let lines = text(of: heard).split(separator: "\n").map(String.init)
                #expect(lines.first == world.folder.path)
                #expect(lines.dropFirst().first == "none none")
                // Its three standard descriptors, and the folder that `ls` reads.
                #expect(lines.dropFirst(2) == ["0", "1", "2", "3"])
            }
        }
    }
}
