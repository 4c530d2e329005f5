import Foundation
import Glibc
package import TestSupport

/// One server: its data folder, and its process while it runs.
package final class Server {
    package let data: String
    /// The path of the server's log.
    package let log: String
    private let folder: TemporaryFolder
    private let name: String
    package private(set) var port: UInt16?
    /// The port that invites name, if it isn't the server's own.
    private var publicPort: UInt16?
    /// The program that is started.
    package var program = Program.focusd
    /// The wrapper for the server's programs.
    package var wrapper = ProgramWrapper()
    /// Additional environment variables of the server's process, as a supervisor sets them.
    package var supervision: [String: String] = [:]
    /// The descriptor of a listening socket that the process inherits.
    package var handedOver: Int32?
    /// The address for metrics and health, in the form of the setting.
    package var metrics = "off"
    package private(set) var process: RunningProgram?
    private var isSetUp = false

    package init(_ name: String, in folder: TemporaryFolder) {
        self.name = name
        self.folder = folder
        data = folder.file(name)
        log = folder.file("\(name).log")
    }

    /// The address that invites name.
    package var address: String { "127.0.0.1:\(publicPort ?? port ?? 0)" }

    /// Runs a command to its end.
    package func run(_ words: [String]) throws -> Outcome { try command(words).wait() }

    /// Starts a command without waiting, so that a test may kill it.
    package func command(_ words: [String]) throws -> RunningProgram {
        try program.start(
            words + ["--data", data], variables, under: wrapper, in: folder,
            log: folder.fresh("messages"))
    }

    /// Runs a command that has to succeed.
    @discardableResult
    package func runSuccessfully(_ words: [String]) throws -> Outcome {
        let outcome = try run(words)
        guard outcome.status == 0 else {
            throw Unmet("focusd \(words.joined(separator: " ")): exit \(outcome.status), \(outcome.messages)")
        }
        return outcome
    }

    /// Starts the server and waits until it is ready. The first start sets the server up, at a port that it
    /// keeps.
    package func start(_ words: String..., clock: WrongClock? = nil) throws {
        try begin(words, clock: clock)
        guard let process else { return }
        try eventually("the server is ready; it said: \(process.messages.suffix(2000))") {
            guard process.isRunning else { throw Unmet("the server ended: \(process.messages.suffix(2000))") }
            return process.output.contains("is ready at")
        }
    }

    /// Starts the server without waiting until it is ready.
    package func begin(_ words: [String] = [], clock: WrongClock? = nil) throws {
        if !isSetUp { try setUp() }
        var wrapper = wrapper
        var words = ["serve", "--log", "debug", "--metrics", metrics, "--data", data] + words
        if handedOver == nil {
            words += ["--listen", "127.0.0.1:\(port ?? 0)"]
        } else {
            // The shell finds out the process's own number, which isn't known before.
            wrapper.programs += ["/bin/sh", "-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\"", "sh"]
        }
        process = try program.start(
            words, variables.merging(supervision) { $1 }, under: wrapper, clock: clock,
            inherited: handedOver.map { [$0] } ?? [], in: folder, log: log)
    }

    /// Sets the port to listen at and another one for invites, for a proxy in between. To be called before
    /// the first start.
    package func stand(at port: UInt16, behind publicPort: UInt16) {
        self.port = port
        self.publicPort = publicPort
    }

    /// Creates the server's data folder and picks a port.
    package func setUp() throws {
        if port == nil { port = try freePort() }
        try runSuccessfully(["init", "--address", address])
        isSetUp = true
    }

    /// Puts the server in a backup into the data folder, in which there is none yet.
    package func restore(_ backup: String) throws {
        try runSuccessfully(["restore", backup])
        isSetUp = true
    }

    /// Writes the file of settings, which the server reads when it starts. Creates the data folder if there
    /// is none.
    package func set(_ settings: String) throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try settings.write(toFile: "\(data)/focusd.conf", atomically: false, encoding: .utf8)
    }

    /// Kills the server, as a power loss would.
    package func kill() throws {
        try process?.kill()
        process = nil
    }

    /// Ends the server, waits until it has ended and returns its exit status.
    @discardableResult
    package func stop() throws -> Int32 {
        guard let process else { throw Unmet("the server doesn't run") }
        process.signal(SIGTERM)
        self.process = nil
        return try process.wait().status
    }

    /// Returns an invite for bringing a group to this server.
    package func invite(_ words: String...) throws -> String {
        try runSuccessfully(["invite"] + words).lastLine
    }

    /// The number of events in the server's store.
    package func eventCount() throws -> Int { try object(["status"], as: Status.self).events }

    /// The number of connections since the setup in which both sides accepted each other's key.
    package func connectionCount() throws -> Int { try logLines("event=connected ").count }

    /// The lines of the server's log that contain `text`.
    package func logLines(_ text: String) throws -> [Substring] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter { $0.contains(text) }
    }

    /// The devices that the server knows.
    package func devices() throws -> [Device] { try object(["devices"], as: Devices.self).devices }

    package struct Device: Decodable {
        package let id: String
        package let revoked: Int64?
        package let connected: Bool
    }

    /// The server's groups.
    package func groups() throws -> [Group] { try object(["groups"], as: Groups.self).groups }

    package struct Group: Decodable {
        package let id: String
        package let events: Int
    }

    private struct Groups: Decodable { let groups: [Group] }
    private struct Devices: Decodable { let devices: [Device] }
    private struct Status: Decodable { let events: Int }

    private func object<Value: Decodable>(_ words: [String], as type: Value.Type) throws -> Value {
        let outcome = try run(words + ["--json"])
        guard outcome.status == 0 else {
            throw Unmet("focusd \(words.joined(separator: " ")): \(outcome.messages)")
        }
        return try JSONDecoder().decode(type, from: Data(outcome.output.utf8))
    }

    private var variables: [String: String] { ["HOME": folder.path, "LOCKSTEP_TEST": folder.path] }
}
