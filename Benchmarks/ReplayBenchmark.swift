import FocusCore
import FocusDevice
import TestSupport

/// The speed of replaying a whole log on one core, and the memory that this needs.
enum ReplayBenchmark {
    static let eventCount = 1_000_000
    static let replicaCount = 5

    static func run(_ report: inout Report) {
        let before = Memory.resident
        let log = makeLog()
        let logMemory = Memory.resident - before
        var fastest = Double.infinity
        var replayed = log.replayed()
        let used = Memory.resident - before
        for _ in 0..<5 {
            fastest = min(fastest, ContinuousClock().measure { replayed = log.replayed() }.seconds)
        }
        report.note("replay of \(replayed.0.eventCount) events, \(replicaCount) replicas, with its history")
        report.figure(
            "replay on one core", Double(log.count) / fastest / 1e6, unit: "million events/s",
            goal: .atLeast(10))
        report.figure("memory of the log alone", Double(logMemory) / Double(log.count), unit: "bytes/event")
        report.figure(
            "memory of log, state and \(replayed.1.phaseCount) history records",
            Double(used) / Double(log.count), unit: "bytes/event", goal: .atMost(100))
    }

    /// Returns a log like that of a group over years: sessions with pauses, skips and added time, now and
    /// then a label or a setting. Each press is on a random laptop.
    static func makeLog(count: Int = eventCount, replicas: Int = replicaCount) -> EventLog {
        var author = Author(replicas: replicas)
        for _ in 0..<count { author.press() }
        return author.log
    }

    private struct Author {
        var log = EventLog()
        private var state = ReplayState()
        private var seqs: [UInt64]
        private var random = SeededGenerator(seed: 42)
        private var now: SharedInstant = 1_300_000_000_000

        init(replicas: Int) { seqs = [UInt64](repeating: 0, count: replicas) }

        mutating func press() {
            now += random.length(60_000, upTo: 600_000)
            let timer = TimerState(state, at: now)
            guard let run = timer.run else {
                return author(.start(Action.Start(label: "Write", after: state.lastRun)))
            }
            switch Int.random(in: 0..<20, using: &random) {
            case 0...1: author(.stop(run.id, at: nil))
            case 2...5: author(.skip(run.id, ordinal: run.ordinal, at: nil))
            case 6...9: author(.adjust(run.id, ordinal: run.ordinal, seconds: 300, at: nil))
            case 10...11: author(.label(run.id, text: "Read", at: nil))
            case 12: author(.set(key: "workLength", value: Int64.random(in: 1200...1800, using: &random)))
            default:
                author(timer.mainInteraction == .pause ? .pause(run.id, at: nil) : .resume(run.id, at: nil))
            }
        }

        private mutating func author(_ action: Action) {
            let replica = Int.random(in: seqs.indices, using: &random)
            guard let stamp = Stamp(time: now, counter: 0) else { return }
            seqs[replica] += 1
            let event = Event(
                replica: ReplicaID(rawValue: UInt64(replica + 1) << 32), seq: seqs[replica], stamp: stamp,
                action: action)
            var history = NoHistory()
            state.apply(event, isTakenBack: false, in: log, history: &history)
            do { try log.merge(event) } catch { print("benchmark log refused: \(error)") }
        }
    }
}

/// The time to compute the statistics of a long history, by the days of this time zone.
enum StatisticsBenchmark {
    static func run(_ report: inout Report) {
        let (state, journal) = ReplayBenchmark.makeLog().replayed()
        var fastest = Double.infinity
        var statistics: Statistics?
        let records = History(journal, state, at: .distantFuture).records
        for _ in 0..<5 {
            let time = ContinuousClock().measure { statistics = Statistics(records, .current) }
            fastest = min(fastest, time.seconds)
        }
        let days = statistics?.days.count ?? 0
        report.note("statistics of a history of \(records.count) records on \(days) days")
        report.figure(
            "statistics of a million records", fastest / Double(records.count) * 1e6, unit: "s",
            goal: .atMost(1))
    }
}
