import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Synchronization

/// The uploads of a load.
struct Load {
    let connections: Int
    /// The number of events in each upload.
    let batch: Int
    /// The number of uploads on each connection.
    let batches: Int
    /// The number of uploads that may be unacknowledged at a time on each connection.
    let window: Int

    /// The length of each event's random body in bytes; an event has 18 more bytes.
    static let bodyLength = 144

    /// The number of events in all.
    var events: Int { connections * batch * batches }

    /// A description of the load for the report.
    var text: String {
        let uploads = batch == 1 ? "one event at a time" : "batches of \(batch)"
        let connections = connections == 1 ? "1 connection" : "\(connections) connections"
        return
            "\(connections), \(uploads), \(events) events of \(Load.bodyLength + 18) bytes, the load beside it on the same cores"
    }
}

/// The number of events per second that the server merges durably. The load comes from the same machine.
enum MergeBenchmark {
    /// Measures uploads of many events each, as laptops send them after being offline.
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

    /// Measures uploads of one event each, each sent after the one before is acknowledged, as presses arrive.
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

/// All connections of a load, on one event loop.
private final class LoadRun {
    /// The times of a load that is sent twice: first with new events, then with the same events again.
    struct Outcome {
        /// The seconds until all new events were acknowledged.
        var seconds = 0.0
        /// The seconds until the same events were acknowledged again.
        var secondsAgain = 0.0
        /// The server's processor time for the new events, in seconds.
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
    private var processorTimeBefore = 0.0

    private init(
        _ loop: EventLoop, _ processorTime: @escaping @Sendable () -> Double,
        _ report: @escaping @Sendable (Result<Outcome, any Error>) -> Void
    ) {
        self.loop = loop
        self.processorTime = processorTime
        self.report = report
    }

    /// Sends the load twice, and returns the times.
    ///
    /// - Parameters:
    ///   - invites: One invite for each connection.
    ///   - processorTime: Returns the server's processor time so far in seconds.
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
                // The timer retains the run.
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
            try LoadSource(load, invite, number: sources.count) { [unowned self] in self.handle($0) })
    }

    private func handle(_ event: LoadSource.Event) {
        switch event {
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
        processorTimeBefore = processorTime()
        for source in sources { source.begin() }
    }

    private func end() {
        let seconds = (ContinuousClock.now - began).seconds
        if isSecondTime {
            outcome.secondsAgain = seconds
            report(.success(outcome))
        } else {
            outcome.seconds = seconds
            outcome.processorTime = processorTime() - processorTimeBefore
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
