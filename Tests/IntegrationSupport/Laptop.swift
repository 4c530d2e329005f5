import Foundation
import Glibc
package import TestSupport

/// One laptop: its home folder, and its agent while that runs.
package final class Laptop {
    /// The time zone of all laptops: it is about noon there, so that no day ends during a test.
    package static let zone: String = {
        let hoursToNoon = 12 - Int(Date.now.timeIntervalSince1970 / 3600) % 24
        // In these names a zone ahead of UTC has a minus.
        return "Etc/GMT\(hoursToNoon > 0 ? "-" : "+")\(abs(hoursToNoon))"
    }()

    package let name: String
    package let home: String
    /// The path of the agent's log.
    package let agentLog: String
    /// Whether commands start the agent if none runs.
    package var startsAgentByItself = false
    /// The laptop's clock if it is wrong; nil for the machine's clock.
    package var clock: WrongClock?
    /// The wrapper for the laptop's programs.
    package var wrapper = ProgramWrapper()
    package private(set) var agent: RunningProgram?
    /// The test's folder, which has the homes of all laptops.
    let folder: TemporaryFolder

    package init(_ name: String, in folder: TemporaryFolder) {
        self.name = name
        self.folder = folder
        home = folder.file(name)
        agentLog = folder.file("\(name).log")
    }

    /// Starts a command and doesn't wait for it.
    package func start(_ words: [String], input: String? = nil) throws -> RunningProgram {
        try Program.focus.start(
            words, variables, under: wrapper, clock: clock, input: input, in: folder,
            log: folder.fresh("messages"))
    }

    /// Runs a command to its end.
    @discardableResult
    package func run(_ words: String..., input: String? = nil) throws -> Outcome {
        try start(words, input: input).wait()
    }

    /// Runs a command that has to succeed, and returns its output.
    @discardableResult
    package func press(_ words: String...) throws -> String { try runSuccessfully(words) }

    /// Runs a command that has to succeed, and returns its output.
    @discardableResult
    package func press(_ words: [String]) throws -> String { try runSuccessfully(words) }

    private func runSuccessfully(_ words: [String], input: String? = nil) throws -> String {
        let outcome = try start(words, input: input).wait()
        guard outcome.status == 0 else {
            throw Unmet(
                "'focus \(words.joined(separator: " "))' on \(name): exit \(outcome.status), \(outcome.messages)"
            )
        }
        return outcome.output
    }

    /// Records a session that was stopped three hours ago. Undoing its stop would add those three hours.
    package func recordOldSession() throws {
        clock = try WrongClock("-3h")
        try press("start", "Long ago")
        try press("stop")
        clock = nil
    }

    /// Joins a group and brings along the laptop's own history.
    package func join(_ invite: String) throws {
        _ = try runSuccessfully(["join", "-", "--name", name, "--take-along"], input: invite)
    }

    /// Returns an invite for another laptop.
    package func invite() throws -> String {
        try runSuccessfully(["invite"]).split(separator: "\n").last.map(String.init) ?? ""
    }

    // MARK: - The agent

    /// A state of the agent that `startAgent` waits for.
    package enum AgentReadiness {
        /// The agent answers commands.
        case answering
        /// The agent is connected to the server.
        case connected
    }

    /// Starts the agent and waits until it is as ready as `readiness` says, or doesn't wait if that is nil.
    package func startAgent(until readiness: AgentReadiness? = .connected) throws {
        agent = try Program.focus.start(
            ["agent", "run"], variables, under: wrapper, clock: clock, in: folder, log: agentLog)
        switch readiness {
        case .answering: try eventually("the agent of \(name) runs") { try agentStatus() != nil }
        case .connected: try eventually("\(name) is online") { try isOnline }
        case nil: break
        }
    }

    /// Kills the agent, as a power loss would.
    package func killAgent() throws {
        try agent?.kill()
        agent = nil
    }

    /// Ends the agent in good order.
    package func stopAgent() throws {
        guard let agent else { throw Unmet("\(name) has no agent") }
        agent.signal(SIGTERM)
        self.agent = nil
        let outcome = try agent.wait()
        guard outcome.status == 0 else { throw Unmet("the agent of \(name) ended with \(outcome.status)") }
    }

    /// The agent's description of itself, or nil if no agent answers.
    package func agentStatus() throws -> String? {
        let outcome = try run("agent", "status")
        return outcome.status == 0 ? outcome.output : nil
    }

    package var isOnline: Bool {
        get throws { try agentStatus()?.contains("the laptop is online.") == true }
    }

    // MARK: - State

    /// The state that the laptop shows now.
    package func status() throws -> Status {
        try JSONDecoder().decode(Status.self, from: Data(runSuccessfully(["status", "--json"]).utf8))
    }

    /// The state that the laptop shows now, as JSON text.
    package func statusText() throws -> String { try runSuccessfully(["status", "--json"]) }

    /// The laptop's log in replay order, one event a line.
    package func log() throws -> [String] {
        try runSuccessfully(["export"]).split(separator: "\n").map(String.init)
    }

    /// The state of a log at an instant, as `focus replay --json` prints it.
    package func replay(_ log: [String], at instant: Int64) throws -> String {
        let file = folder.fresh("log")
        try log.map { "\($0)\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        return try runSuccessfully(["replay", file, "--at", "\(instant)", "--json"])
    }

    /// The group's devices.
    package func devices() throws -> [Device] {
        let document = try runSuccessfully(["devices", "--json"])
        return try JSONDecoder().decode(Devices.self, from: Data(document.utf8)).devices
    }

    package struct Device: Decodable {
        package let name: String
        package let key: String?
        package let this: Bool
        package let revoked: Bool
        package let replicas: [String]
    }

    private struct Devices: Decodable { let devices: [Device] }

    var variables: [String: String] {
        [
            "HOME": folder.path, "LOCKSTEP_TEST": folder.path, "FOCUS_HOME": home,
            "FOCUS_NO_AGENT": startsAgentByItself ? "" : "1",
            "TZ": Self.zone,
        ]
    }
}

/// The output of `focus status --json`.
package struct Status: Decodable {
    package let now: Int64
    package let status: String
    package let activity: String
    package let remainingMs: Int64
    package let addedMs: Int64
    package let run: String?
    package let ordinal: Int64?
    package let label: String
    package let settings: [String: Int64]
    package let group: String?
    package let sync: Sync
    package let online: [String]
    package let events: Int

    package struct Sync: Decodable {
        package let state: String
        package let pending: Int
    }
}
