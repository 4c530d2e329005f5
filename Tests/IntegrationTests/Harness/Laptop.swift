import Foundation
import Glibc
import TestSupport

/// One laptop: its folder, and its agent while that runs.
final class Laptop {
    let name: String
    let home: String
    /// What its agent says.
    let agentLog: String
    /// Whether commands start the agent where none runs.
    var startsAgentByItself = false
    /// Its clock, where that is wrong.
    var clock: WrongClock?
    private(set) var agent: RunningProgram?
    private let folder: TemporaryFolder

    init(_ name: String, in folder: TemporaryFolder) {
        self.name = name
        self.folder = folder
        home = folder.file(name)
        agentLog = folder.file("\(name).log")
    }

    /// Starts a command and doesn't wait for it.
    func start(_ words: [String], input: String? = nil) throws -> RunningProgram {
        try Program.focus.start(
            words, variables, clock: clock, input: input, in: folder, log: folder.fresh("messages"))
    }

    /// Runs a command to its end.
    @discardableResult
    func run(_ words: String..., input: String? = nil) throws -> Outcome {
        try start(words, input: input).wait()
    }

    /// Runs a command that has to succeed, and gives what it printed.
    @discardableResult
    func press(_ words: String...) throws -> String { try done(words) }

    /// The same.
    @discardableResult
    func press(_ words: [String]) throws -> String { try done(words) }

    private func done(_ words: [String], input: String? = nil) throws -> String {
        let outcome = try start(words, input: input).wait()
        guard outcome.status == 0 else {
            throw Unmet(
                "'focus \(words.joined(separator: " "))' on \(name): exit \(outcome.status), \(outcome.messages)"
            )
        }
        return outcome.output
    }

    /// Makes the laptop part of a group.
    func join(_ invite: String) throws { _ = try done(["join", "-", "--name", name], input: invite) }

    /// An invite that lets another laptop in.
    func invite() throws -> String {
        try done(["invite"]).split(separator: "\n").last.map(String.init) ?? ""
    }

    // MARK: - The agent

    /// Starts the agent and waits until it is connected.
    func startAgent() throws {
        try beginAgent()
        try eventually("\(name) is online") { try isOnline }
    }

    /// Starts the agent, and doesn't wait for anything.
    func beginAgent() throws {
        agent = try Program.focus.start(["agent", "run"], variables, clock: clock, in: folder, log: agentLog)
    }

    /// Kills the agent as a loss of power would.
    func killAgent() throws {
        try agent?.kill()
        agent = nil
    }

    /// Stops the agent where it stands, as if the network's cable were pulled.
    func freezeAgent() { agent?.signal(SIGSTOP) }

    /// Lets a stopped agent go on.
    func thawAgent() { agent?.signal(SIGCONT) }

    /// Has the agent end in good order.
    func stopAgent() throws {
        guard let agent else { throw Unmet("\(name) has no agent") }
        agent.signal(SIGTERM)
        self.agent = nil
        let outcome = try agent.wait()
        guard outcome.status == 0 else { throw Unmet("the agent of \(name) ended with \(outcome.status)") }
    }

    /// What the agent says of itself; nil where none answers.
    func agentStatus() throws -> String? {
        let outcome = try run("agent", "status")
        return outcome.status == 0 ? outcome.output : nil
    }

    var isOnline: Bool {
        get throws { try agentStatus()?.contains("the laptop is online.") == true }
    }

    // MARK: - What it knows

    /// What it shows now.
    func status() throws -> Status {
        try JSONDecoder().decode(Status.self, from: Data(done(["status", "--json"]).utf8))
    }

    /// The same as text.
    func statusText() throws -> String { try done(["status", "--json"]) }

    /// Its log, a line an event, in replay order.
    func log() throws -> [String] { try done(["export"]).split(separator: "\n").map(String.init) }

    /// What a log means at an instant, as `focus replay --json` says it.
    func replay(_ log: [String], at instant: Int64) throws -> String {
        let file = folder.fresh("log")
        try log.map { "\($0)\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        return try done(["replay", file, "--at", "\(instant)", "--json"])
    }

    /// The group's devices.
    func devices() throws -> [Device] {
        try JSONDecoder().decode(Devices.self, from: Data(done(["devices", "--json"]).utf8)).devices
    }

    struct Device: Decodable {
        let name: String
        let key: String?
        let this: Bool
        let revoked: Bool
        let replicas: [String]
    }

    private struct Devices: Decodable { let devices: [Device] }

    private var variables: [String: String] {
        [
            "HOME": folder.path, "LOCKSTEP_TEST": folder.path, "FOCUS_HOME": home,
            "FOCUS_NO_AGENT": startsAgentByItself ? "" : "1",
            "TZ": "UTC",
        ]
    }
}

/// What `focus status --json` says.
struct Status: Decodable {
    let now: Int64
    let status: String
    let activity: String
    let remainingMs: Int64
    let run: String?
    let ordinal: Int64?
    let endsAt: Int64?
    let label: String
    let settings: [String: Int64]
    let sideRuns: [String]
    let group: String?
    let sync: Sync
    let online: [String]
    let events: Int

    struct Sync: Decodable {
        let state: String
        let pending: Int
        let offsetMs: Int64
    }
}
