import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Synchronization

/// How many events a second the server merges durably, with the load coming from the same machine.
enum MergeBenchmark {
    static let connections = 64
    static let batch = 100
    static let batches = 300
    static let bodyLength = 144

    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer(port: 17_855)
        let invites = try (0..<connections).map { _ in try Invite(scratch.serverInvite()) }
        let result = try LoadRun.run(invites)
        let events = connections * batch * batches
        report.note(
            "durable merge: \(connections) connections, batches of \(batch), \(events) events of \(bodyLength + 18) bytes, the load beside it on the same cores"
        )
        report.figure(
            "durable merge", Double(events) / result.seconds / 1e3, unit: "thousand events/s",
            goal: .atLeast(500))
        report.figure(
            "the same batches again, all known", Double(events) / result.secondsAgain / 1e3,
            unit: "thousand events/s")
        let listed = try programs.run(programs.focusd, ["status", "--data", scratch.serverData, "--json"])
        report.note("the server says: \(listed.split(separator: "\n").joined(separator: " "))")
    }
}

/// All connections of a load, on one loop.
private final class LoadRun {
    struct Outcome {
        var seconds = 0.0
        var secondsAgain = 0.0
    }

    private let loop: EventLoop
    private let report: @Sendable (Result<Outcome, any Error>) -> Void
    private var sources: [LoadSource] = []
    private var ready = 0
    private var finished = 0
    private var began = ContinuousClock.now
    private var outcome = Outcome()
    private var isSecondTime = false

    private init(_ loop: EventLoop, _ report: @escaping @Sendable (Result<Outcome, any Error>) -> Void) {
        self.loop = loop
        self.report = report
    }

    static func run(_ invites: [Invite]) throws -> Outcome {
        let loop = try EventLoop()
        let answer = LoadAnswer()
        loop.run {
            let run = LoadRun(loop) { result in
                answer.result.withLock { $0 = result }
                loop.stop()
            }
            do {
                for invite in invites { try run.add(invite) }
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

    private func add(_ invite: Invite) throws {
        sources.append(try LoadSource(invite, number: sources.count) { [unowned self] in self.take($0) })
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
        for source in sources { source.begin() }
    }

    private func end() {
        let seconds = (ContinuousClock.now - began).seconds
        if isSecondTime {
            outcome.secondsAgain = seconds
            report(.success(outcome))
        } else {
            outcome.seconds = seconds
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
