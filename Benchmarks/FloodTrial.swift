import Adversary
import FocusCore
import Glibc

/// The effect on a laptop of a hostile server that sends forged events. It measures memory and disk, the time
/// of the laptop's commands, and the disk use after the server becomes honest.
struct FloodTrial {
    private let programs: Programs
    private let scratch: Scratch
    private var home: String { "\(scratch.path)/laptop" }

    private static let mebibyte = Double(1 << 20)
    // The goals of a flood, in MiB.
    private static let memory = 384.0
    private static let disk = 160.0
    private static let diskAfter = 16.0
    private static let slowest = Duration.milliseconds(200)
    /// The number of bytes to send at most.
    private static let byteLimit = 1 << 30

    init(_ programs: Programs) throws {
        self.programs = programs
        scratch = try Scratch(programs)
    }

    /// Floods a laptop for `duration`, and reports the measurements.
    func flood(
        _ report: inout Report, _ flood: Flood, for duration: Duration, patience: Duration
    ) throws {
        let loop = try AttackLoop()
        let host = try HostileHost(port: UInt16(scratch.port), on: loop, seed: 1)
        try focus("start", "Work")
        try focus("join", host.invite(), "--name", "laptop")
        let agent = try programs.start(programs.focus, ["agent", "run"], home: home)
        defer {
            kill(agent, SIGTERM)
            programs.wait(agent)
        }
        guard try wait(patience, until: { try isOnline() }) else {
            throw Programs.Failed(description: "the laptop doesn't connect")
        }
        let before = Memory.of(agent)?.resident ?? 0
        host.send(flood, most: FloodTrial.byteLimit)
        // Whether the agent's status names the server as the source of the flood.
        var isNamed = false
        _ = try wait(duration) {
            isNamed = try isNamed || focus("agent", "status").contains("The server at \(host.address) sends")
            return host.sent >= FloodTrial.byteLimit
        }
        let name = flood.description
        let began = ContinuousClock.now
        try focus("status")
        let status = ContinuousClock.now - began
        let peak = Memory.of(agent)?.peak ?? 0
        report.note("\(name): \(host.sent >> 20) MiB sent")
        report.figure(
            "\(name): more memory", Double(peak - before) / FloodTrial.mebibyte, unit: "MiB",
            goal: .atMost(FloodTrial.memory))
        report.figure("\(name): disk", try disk(), unit: "MiB", goal: .atMost(FloodTrial.disk))
        report.figure(
            "\(name): focus status", status.seconds * 1e3, unit: "ms",
            goal: .atMost(FloodTrial.slowest.seconds * 1e3))
        report.check("\(name): the server is named", isNamed, "it isn't")
        // From now on the server is honest.
        host.send(nil)
        try focus("sync")
        _ = try wait(patience) { try isOnline() && disk() < FloodTrial.diskAfter }
        report.figure(
            "\(name): disk, once it is honest", try disk(), unit: "MiB", goal: .atMost(FloodTrial.diskAfter))
    }

    @discardableResult
    private func focus(_ words: String...) throws -> String {
        try programs.run(programs.focus, words, home: home, startsAgent: false)
    }

    private func isOnline() throws -> Bool {
        let process = try? focus("agent", "status")
        return process?.contains("the laptop is online.") ?? false
    }

    /// Returns the size of the laptop's log in MiB.
    private func disk() throws -> Double {
        ["log.db", "log.db-wal"].reduce(0) { sum, name in
            var found = stat()
            return stat("\(home)/\(name)", &found) == 0
                ? sum + Double(found.st_size) / FloodTrial.mebibyte : sum
        }
    }

    /// Waits for a condition, checking it every 0.1 s.
    ///
    /// - Returns: False if the condition doesn't hold within `limit`.
    private func wait(_ limit: Duration, until isDone: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if try isDone() { return true }
            poll(nil, 0, 100)
        }
        return false
    }
}
