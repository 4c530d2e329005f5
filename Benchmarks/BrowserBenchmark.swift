import FocusCore
import FocusText

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A browser as a member of a group with a long log: the page that `make web` made, in a headless Chromium.
/// The page itself measures.
enum BrowserBenchmark {
    private static let starts = 20
    private static let presses = 200

    static func run(_ report: inout Report, _ programs: Programs) throws {
        guard let files = realpath(".build/web", nil), access(DevTools.program, X_OK) == 0 else {
            return report.note("a browser is left out: it needs Chromium, and the page that `make web` makes")
        }
        defer { free(files) }
        let web = String(cString: files)
        try measureSizes(&report, web, programs)

        let scratch = try Scratch(programs)
        defer { scratch.stopServer() }
        let port = try Scratch.freePort()
        try scratch.startServer(Scratch.manyAtOnce + ["--web", "\(port)", "--web-files", web])
        let home = "\(scratch.path)/laptop"
        try FirstSyncBenchmark.bringGroup(from: home, to: scratch, programs)
        defer { _ = try? programs.run(programs.focus, ["agent", "stop"], home: home) }
        // The generated log may end in the midst of a session.
        _ = try? programs.run(programs.focus, ["stop"], home: home)
        try programs.run(programs.focus, ["start", "--for", "90m"], home: home)
        let invite = Scratch.lastLine(try programs.run(programs.focus, ["invite"], home: home))
        let page = MeasuredPage(
            try DevTools(programs, in: scratch.path), address: "http://127.0.0.1:\(port)/")

        report.note("a headless Chromium, and a group with \(FirstSyncBenchmark.eventCount) events")
        try measureFirstSync(&report, page, invite)
        let end = try sessionEnd(at: home, programs)
        try measureStarts(&report, page, end)
        try measurePresses(&report, page, home)
    }

    private static func measureSizes(
        _ report: inout Report, _ web: String, _ programs: Programs
    ) throws {
        let script = "for file in \"$0\"/*; do echo \"$(gzip -9c \"$file\" | wc -c) $file\"; done"
        let sizes = try programs.run("sh", ["-c", script, web]).split(separator: "\n").map { line in
            (isModule: line.hasSuffix(".wasm"), bytes: Double(line.prefix { $0 != " " }) ?? 0)
        }
        let module = sizes.lazy.filter { $0.isModule }.reduce(0) { $0 + $1.bytes }
        let other = sizes.lazy.filter { !$0.isModule }.reduce(0) { $0 + $1.bytes }
        report.figure("the module, gzipped", module / 1e3, unit: "kB", goal: .atMost(800))
        report.figure("the page's other files, each gzipped", other / 1e3, unit: "kB", goal: .atMost(60))
    }

    private static func measureFirstSync(
        _ report: inout Report, _ page: MeasuredPage, _ invite: String
    ) throws {
        let sync = try page.join(invite)
        report.figure("first sync in a browser", sync.seconds, unit: "s", goal: .atMost(5))
        report.figure("longest answer meanwhile", sync.longestAnswer, unit: "ms", goal: .atMost(100))
        report.figure("longest turn of the page meanwhile", sync.longestTurn, unit: "ms", goal: .atMost(100))
        // Now, because the whole log as a text takes memory too.
        report.figure(
            "memory of the module after that", try page.memory() / 1e6, unit: "MB", goal: .atMost(64))
        let count = try page.eventCount()
        guard count >= FirstSyncBenchmark.eventCount else {
            throw Programs.Failed(description: "the browser has only \(count) events")
        }
    }

    /// Returns the end of the phase that runs on a laptop, in milliseconds since 1970.
    private static func sessionEnd(at home: String, _ programs: Programs) throws -> Int64 {
        let status = try programs.run(programs.focus, ["status", "--json"], home: home)
        let document = try JSON(parsing: status.utf8)
        guard let now = document["now"]?.number, let left = document["remainingMs"]?.number else {
            throw Programs.Failed(description: "focus says: \(status)")
        }
        return now + left
    }

    private static func measureStarts(_ report: inout Report, _ page: MeasuredPage, _ end: Int64) throws {
        let measured = try page.starts(starts, showing: end)
        report.note("\(measured.count) warm starts, from the navigation to the frame with the right time")
        let shown = measured.map(\.shown).sorted()
        report.figure("warm start, median", median(shown), unit: "ms", goal: .atMost(150))
        report.figure("warm start, 95 of 100", percentile95(shown), unit: "ms", goal: .atMost(250))
        let pressed = measured.map(\.pressed).sorted()
        report.figure("from there to the first press, median", median(pressed), unit: "ms")
        report.figure(
            "from there to the first press, 95 of 100", percentile95(pressed), unit: "ms", goal: .atMost(500))
    }

    private static func measurePresses(
        _ report: inout Report, _ page: MeasuredPage, _ home: String
    ) throws {
        let laptop = try AgentLaptop(home: home)
        try page.beginPresses(presses)
        for _ in 0..<presses {
            try laptop.waitUntil { try !$0.isRunning }
            try laptop.press(.resume)
        }
        let (stored, back) = try page.endPresses()
        report.note("\(back.count) presses in the browser, each answered by one on a laptop")
        report.figure(
            "a press in a browser made durable, 95 of 100", percentile95(stored), unit: "ms",
            goal: .atMost(10))
        report.figure("to the laptop and back, median", median(back), unit: "ms", goal: .atMost(25))
        report.figure("to the laptop and back, 95 of 100", percentile95(back), unit: "ms", goal: .atMost(60))
    }

    private static func percentile95(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count * 95 / 100]
    }
}
