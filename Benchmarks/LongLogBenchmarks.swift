import FocusCore
import FocusText

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The time of `focus status` as a whole process, with a short log and a long one.
enum StatusBenchmark {
    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        let small = "\(scratch.path)/small"
        let large = "\(scratch.path)/large"
        try fill(small, count: 100, scratch, programs)
        try fill(large, count: 1_000_000, scratch, programs)
        var times: [[Double]] = [[], [], []]
        for _ in 0..<301 {
            times[0].append(try time(programs, "sqlite3", [":memory:", "select 1"]))
            times[1].append(try time(programs, programs.focus, ["status"], home: small))
            times[2].append(try time(programs, programs.focus, ["status"], home: large))
        }
        let (sqlite, few, many) = (median(times[0]), median(times[1]), median(times[2]))
        report.note("whole processes, medians of 301 runs in turn")
        report.figure("sqlite3 :memory: 'select 1'", sqlite * 1e3, unit: "ms")
        report.figure("focus status, 100 events", few * 1e3, unit: "ms")
        report.figure("focus status, 1,000,000 events", many * 1e3, unit: "ms")
        report.figure(
            "focus status, 1,000,000 events against 100", many / few, unit: "times", goal: .atMost(1.2))
        report.figure("focus status against sqlite3", many / sqlite, unit: "times", goal: .atMost(3))
    }

    /// Creates a device with a log of `count` events.
    private static func fill(_ home: String, count: Int, _ scratch: Scratch, _ programs: Programs) throws {
        let path = "\(scratch.path)/log.jsonl"
        try GeneratedLog.write(count: count, to: path)
        try programs.run(programs.focus, ["import", path], home: home)
    }

    private static func time(
        _ programs: Programs, _ program: String, _ arguments: [String], home: String? = nil
    ) throws -> Double {
        let began = ContinuousClock.now
        programs.wait(try programs.start(program, arguments, home: home))
        return (ContinuousClock.now - began).seconds
    }
}

/// Returns the median of some measurements; 0 if there are none.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

/// The time that a new laptop takes to join a group with a long log, as a whole command.
enum FirstSyncBenchmark {
    static let eventCount = 100_000

    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer()
        let first = "\(scratch.path)/first"
        try bringGroup(from: first, to: scratch, programs)
        _ = try? programs.run(programs.focus, ["agent", "stop"], home: first)
        var times: [Double] = []
        for number in 0..<5 {
            let home = "\(scratch.path)/new-\(number)"
            let invite = Scratch.lastLine(try programs.run(programs.focus, ["invite"], home: first))
            let began = ContinuousClock.now
            try programs.run(programs.focus, ["join", invite], home: home)
            times.append((ContinuousClock.now - began).seconds)
            _ = try? programs.run(programs.focus, ["agent", "stop"], home: home)
        }
        report.note("`focus join` of a new laptop into a group with \(eventCount) events, median of 5")
        report.figure("first sync", median(times), unit: "s", goal: .atMost(0.5))
    }

    /// Makes a laptop that brings a group with a long log to a server. Its agent runs.
    static func bringGroup(from home: String, to scratch: Scratch, _ programs: Programs) throws {
        let path = "\(scratch.path)/log.jsonl"
        try GeneratedLog.write(count: eventCount, to: path)
        try programs.run(programs.focus, ["import", path], home: home)
        try programs.run(programs.focus, ["join", try scratch.serverInvite()], home: home)
    }
}

/// A generated log as text.
enum GeneratedLog {
    /// Writes a log of `count` events to a file.
    static func write(count: Int, to path: String) throws {
        let log = ReplayBenchmark.makeLog(count: count)
        guard let file = fopen(path, "w") else {
            throw Programs.Failed(description: "\(path) can't be written")
        }
        defer { fclose(file) }
        var events = log.events(after: nil)
        while let event = events.next() { fputs("\(EventLine(event))\n", file) }
    }
}
