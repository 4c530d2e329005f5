import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Synchronization

/// What uploads a load consists of.
struct Load {
    let connections: Int
    /// So many events in each upload.
    let batch: Int
    /// So many uploads on each connection.
    let batches: Int
    /// So many of them are under way at a time on each connection.
    let window: Int

    /// The random bytes of each event, which has 18 more.
    static let bodyLength = 144

    /// How many events it has in all.
    var events: Int { connections * batch * batches }

    /// What it is, in words.
    var text: String {
        let uploads = batch == 1 ? "one event at a time" : "batches of \(batch)"
        let connections = connections == 1 ? "1 connection" : "\(connections) connections"
        return
            "\(connections), \(uploads), \(events) events of \(Load.bodyLength + 18) bytes, the load beside it on the same cores"
    }
}

/// How many events a second the server merges durably, with the load coming from the same machine.
enum MergeBenchmark {
    /// Many events in each upload, as laptops send them that were away.
    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer()
        let load = Load(connections: 64, batch: 100, batches: 300, window: 4)
        let result = try run(load, on: scratch)
        report.note("durable merge: \(load.text)")
        report.figure(
            "durable merge", Double(load.events) / result.seconds / 1e3, unit: "thousand events/s",
            goal: .atLeast(500))
        report.figure(
            "the same batches again, all known", Double(load.events) / result.secondsAgain / 1e3,
            unit: "thousand events/s")
        let listed = try programs.run(programs.focusd, ["status", "--data", scratch.serverData, "--json"])
        report.note("the server says: \(listed.split(separator: "\n").joined(separator: " "))")
    }

    /// One event in each upload, and the next one once that is acknowledged, as presses come.
    static func runSingly(_ report: inout Report, _ programs: Programs) throws {
        for (connections, events) in [(64, 2_000), (16, 4_000), (1, 8_000)] {
            let scratch = try Scratch(programs)
            try scratch.startServer()
            let load = Load(connections: connections, batch: 1, batches: events, window: 1)
            let result = try run(load, on: scratch)
            report.note("durable merge: \(load.text)")
            report.figure(
                "one at a time, connections: \(connections)", Double(load.events) / result.seconds / 1e3,
                unit: "thousand events/s")
            report.figure(
                "the server's processor time, an event", result.processorTime / Double(load.events) * 1e6,
                unit: "µs")
        }
    }

    private static func run(_ load: Load, on scratch: Scratch) throws -> LoadRun.Outcome {
        let invites = try (0..<load.connections).map { _ in try Invite(scratch.serverInvite()) }
        return try LoadRun.run(load, with: invites) {
            [server = scratch.server] in server.flatMap(Memory.processorTime) ?? 0
        }
    }
}

/// All connections of a load, on one loop.
private final class LoadRun {
    struct Outcome {
        var seconds = 0.0
        var secondsAgain = 0.0
        /// What the server worked the first time, in seconds.
        var processorTime = 0.0
    }

    private let loop: EventLoop
    private let report: @Sendable (Result<Outcome, any Error>) -> Void
    private var sources: [LoadSource] = []
    private var ready = 0
    private var finished = 0
    private var began = ContinuousClock.now
    private var outcome = Outcome()
    private var isSecondTime = false
    private let processorTime: @Sendable () -> Double
    private var usedBefore = 0.0

    private init(
        _ loop: EventLoop, _ processorTime: @escaping @Sendable () -> Double,
        _ report: @escaping @Sendable (Result<Outcome, any Error>) -> Void
    ) {
        self.loop = loop
        self.processorTime = processorTime
        self.report = report
    }

    /// - Parameter processorTime: what the server has worked so far, in seconds.
    static func run(
        _ load: Load, with invites: [Invite], processorTime: @escaping @Sendable () -> Double
    ) throws -> Outcome {
        let loop = try EventLoop()
        let answer = LoadAnswer()
        loop.run {
            let run = LoadRun(loop, processorTime) { result in
                answer.result.withLock { $0 = result }
                loop.stop()
            }
            do {
                for invite in invites { try run.add(load, invite) }
                for source in run.sources { source.connect(on: loop) }
                // The timer keeps the run alive.
                loop.schedule(after: .seconds(300)) { run.fail(Programs.Failed(description: "timed out")) }
            } catch {
                run.fail(error)
            }
        }
        loop.wait()
        return try answer.result.withLock { try $0.get() }
    }

    private func add(_ load: Load, _ invite: Invite) throws {
        sources.append(
            try LoadSource(load, invite, number: sources.count) { [unowned self] in self.take($0) })
    }

    private func take(_ news: LoadSource.News) {
        switch news {
        case .ready:
            ready += 1
            if ready == sources.count { begin() }
        case .finished:
            finished += 1
            if finished == sources.count { end() }
        case .failed(let error): fail(error)
        }
    }

    private func begin() {
        finished = 0
        began = .now
        usedBefore = processorTime()
        for source in sources { source.begin() }
    }

    private func end() {
        let seconds = (ContinuousClock.now - began).seconds
        if isSecondTime {
            outcome.secondsAgain = seconds
            report(.success(outcome))
        } else {
            outcome.seconds = seconds
            outcome.processorTime = processorTime() - usedBefore
            isSecondTime = true
            begin()
        }
    }

    private func fail(_ error: any Error) { report(.failure(error)) }
}

private final class LoadAnswer: Sendable {
    let result = Mutex<Result<LoadRun.Outcome, any Error>>(
        .failure(Programs.Failed(description: "no answer")))
}
