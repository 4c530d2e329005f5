import FocusCore
import Glibc

/// The pure core's work on a whole log. It is compared with a plain loop in C (`Benchmarks/peers/replay.c`)
/// that does the same with the same bytes.
enum ReplayingWork {
    /// Runs `events COUNT FILE`: writes a log's events in replay order, as `EventBytes`.
    static func export(_ words: ArraySlice<String>) throws {
        guard let count = words.first.flatMap({ Int($0) }), let path = words.dropFirst().first else {
            throw Programs.Failed(description: "events COUNT FILE")
        }
        try write(EventBytes.encoding(ReplayBenchmark.makeLog(count: count)), to: path)
    }

    /// Writes a new file, or another content of it.
    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else {
            throw Programs.Failed(description: "\(path) can't be made")
        }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else {
            throw Programs.Failed(description: "\(path) can't be written")
        }
    }

    /// Runs `replaying FILE TIMES`: measures decoding a log from the bytes, and replaying it with its
    /// history. Each repetition prints a line with the seconds and processor seconds of both. The last line
    /// is the state.
    static func run(_ words: ArraySlice<String>) throws {
        guard let path = words.first, let times = words.dropFirst().first.flatMap({ Int($0) }) else {
            throw Programs.Failed(description: "replaying FILE TIMES")
        }
        let bytes = try contents(of: path)
        var (state, journal) = try decoded(bytes).replayed()
        for _ in 0..<times {
            var measured: [Double] = []
            var log = EventLog()
            measured += try timed { log = try decoded(bytes) }
            measured += timed { (state, journal) = log.replayed() }
            print(measured.map { "\($0)" }.joined(separator: " "))
        }
        print(summary(state, journal))
    }

    /// Returns the log of these bytes.
    private static func decoded(_ bytes: [UInt8]) throws -> EventLog {
        var log = EventLog()
        for event in EventBytes(bytes) { try log.merge(event) }
        return log
    }

    /// Returns the seconds and processor seconds that `body` takes.
    private static func timed(_ body: () throws -> Void) rethrows -> [Double] {
        let (start, processorStart) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
        try body()
        return [seconds(CLOCK_MONOTONIC) - start, seconds(CLOCK_PROCESS_CPUTIME_ID) - processorStart]
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func contents(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw Programs.Failed(description: "\(path) can't be read")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    /// Returns the state in one line, in the format of `replay.c`.
    private static func summary(_ state: ReplayState, _ journal: Journal) -> String {
        var words = ["events \(state.eventCount) phases \(journal.phaseCount)"]
        words.append("effect \(state.latestEffect.milliseconds)")
        if let last = state.lastRun { words.append("last \(name(last))") }
        if let change = state.lastChange {
            words.append("change \(change.id.replica.rawValue)/\(change.id.seq)")
        }
        words.append("settings")
        words += SettingKey.allCases.map { "\(state.settings[$0])" }
        words.append("sides \(state.sideRuns.count)")
        guard let run = state.current else { return (words + ["stopped"]).joined(separator: " ") }
        words.append("run \(name(run.id)) \(run.phase.activity) \(run.phase.ordinal) \(run.completedCycles)")
        words.append("from \(run.phase.startedAt.milliseconds) anchor \(run.anchor.milliseconds)")
        words.append("touched \(run.touchedAt.milliseconds) active \(run.phase.spans.active.inMilliseconds)")
        switch run.clock {
        case .running(let since, let endsAt):
            words.append("running \(since.milliseconds) \(endsAt.milliseconds)")
        case .paused(let remaining): words.append("paused \(remaining.inMilliseconds)")
        }
        return (words + ["called \(run.label)"]).joined(separator: " ")
    }

    private static func name(_ run: RunID) -> String {
        "\(run.position.stamp.rawValue)@\(run.position.replica.rawValue)"
    }
}
