import FocusCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How long a new laptop takes to join a group with a long log: the whole command.
enum FirstSyncBenchmark {
    static let eventCount = 100_000

    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer(port: 17_854)
        let first = "\(scratch.path)/first"
        let path = "\(scratch.path)/log.jsonl"
        try GeneratedLog.write(count: eventCount, to: path)
        try programs.run(programs.focus, ["import", path], home: first)
        try programs.run(programs.focus, ["join", try scratch.serverInvite()], home: first)
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
        report.figure("first sync", median(times), unit: "s", goal: .atMost(1))
    }
}
