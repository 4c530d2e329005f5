import Foundation
import Glibc
package import TestSupport

/// A server and laptops on this machine, each in a folder of its own. All of their processes end with the
/// test.
package final class World {
    package let folder: TemporaryFolder
    package let server: Server
    package private(set) var laptops: [Laptop] = []

    private init(_ folder: TemporaryFolder) {
        self.folder = folder
        server = Server("server", in: folder)
    }

    /// Runs a test with a running server and with laptops of these names, in one group and each with a
    /// connected agent.
    package static func with(_ names: [String], _ body: (World) throws -> Void) throws {
        try with { world in
            try world.server.start()
            for name in names { try world.join(name) }
            try body(world)
        }
    }

    /// Runs a test with a server that isn't set up and without laptops.
    package static func with(_ body: (World) throws -> Void) throws {
        let world = World(try TemporaryFolder())
        defer { world.endAll() }
        do {
            try body(world)
        } catch {
            throw Unmet("\(error)\n\(world.logs)")
        }
    }

    /// Adds a laptop that is in no group.
    package func laptop(_ name: String) -> Laptop {
        let laptop = Laptop(name, in: folder)
        laptops.append(laptop)
        return laptop
    }

    /// Adds a laptop that joins the group (or brings a new one) and connects.
    @discardableResult
    package func join(_ name: String) throws -> Laptop {
        let invite = try laptops.first?.invite() ?? server.invite()
        let laptop = laptop(name)
        try laptop.join(invite)
        try laptop.startAgent()
        return laptop
    }

    /// Adds a laptop that the server has let in and lists, and that no other laptop knows.
    ///
    /// A quota kept it from storing the event that says who it is.
    package func sleeper(_ name: String) throws -> Laptop {
        guard let group = try server.groups().first, let invite = try laptops.first?.invite() else {
            throw Unmet("there is no group to join")
        }
        let known = try server.devices().count
        try server.runSuccessfully(["groups", "quota", group.id, "--events", "\(group.events)"])
        let sleeper = laptop(name)
        let joining = try sleeper.start(["join", "-", "--name", name], input: invite)
        try eventually("\(name) is let in") {
            try server.devices().count > known && sleeper.status().group != nil
        }
        try joining.kill()
        try server.runSuccessfully(["groups", "quota", group.id, "--events", "default"])
        return sleeper
    }

    /// The last lines of all logs, which a failing test shows.
    private var logs: String {
        ([server.log] + laptops.map(\.agentLog)).compactMap { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8), !text.isEmpty else {
                return nil
            }
            let lines = text.split(separator: "\n").suffix(12).joined(separator: "\n")
            return "--- \(URL(fileURLWithPath: path).lastPathComponent):\n\(lines)"
        }.joined(separator: "\n")
    }

    /// Kills all processes of this world: programs that the test started, and agents that commands started.
    private func endAll() {
        let running = processes
        for process in running { kill(process, SIGKILL) }
        for process in running { WrongClock.clearUp(after: process) }
    }

    /// The processes with this world's mark in their environment.
    private var processes: [pid_t] {
        let mark = Data("LOCKSTEP_TEST=\(folder.path)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let environment = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/environ"))
            return process != getpid() && environment?.range(of: mark) != nil
        }
    }
}
