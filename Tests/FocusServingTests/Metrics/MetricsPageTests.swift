import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import Foundation
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServing

@Suite struct MetricsPageTests {
    private var page: String {
        var metrics = ServerMetrics()
        metrics.shookHands()
        metrics.failedToShakeHands(.noDescriptor)
        metrics.refused(.rate)
        metrics.refused(.rate)
        metrics.pushed(after: .milliseconds(3))
        metrics.count(BatchTally(requests: 2, events: 5, duplicates: 1, duration: .microseconds(700)))
        metrics.count(BatchTally(requests: 1, duration: .microseconds(100), problem: .full))
        metrics.count(
            BatchTally(requests: 1, stale: 3, duration: .milliseconds(1), problem: .busy(isUnknown: true)))
        metrics.readNews(after: [.milliseconds(2), .seconds(3)])
        metrics.servers = 2
        var state = ServerState(store: StoreHealth.file(StoreFile(isThere: true, bytes: 4096, free: 1)))
        state.storeRoundTrip = .milliseconds(250)
        return MetricsPage(
            metrics: metrics, state: state,
            started: SharedInstant(milliseconds: 1_763_661_600_250)
        ).text
    }

    /// The names of the metrics with a `# TYPE` line. The parts of a histogram have none.
    private var names: [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
            String($0.split(separator: " ")[2])
        }
    }

    @Test("all counts are there") func counts() {
        let lines = Set(page.split(separator: "\n").map(String.init))
        for line in [
            "focusd_handshakes_total 1", "focusd_handshake_failures_total{reason=\"no_descriptor\"} 1",
            "focusd_handshake_failures_total{reason=\"timed_out\"} 0",
            "focusd_refusals_total{code=\"rate\"} 2", "focusd_refusals_total{code=\"group_full\"} 0",
            "focusd_events_merged_total 5", "focusd_events_duplicate_total 1",
            "focusd_commit_failures_total 2", "focusd_batch_requests_count 3",
            "focusd_unknown_commits_total 1", "focusd_stale_turns_total 3", "focusd_servers 2",
            "focusd_news_delay_seconds_bucket{le=\"0.0025\"} 1", "focusd_news_delay_seconds_sum 3.002",
            "focusd_store_info{store=\"sqlite\"} 1", "focusd_store_round_trip_seconds 0.25",
            "focusd_batch_events_sum 5", "focusd_commit_latency_seconds_bucket{le=\"0.0005\"} 1",
            "focusd_push_latency_seconds_bucket{le=\"0.005\"} 1", "focusd_ready 1",
            "focusd_database_size_bytes 4096", "process_start_time_seconds 1763661600.25",
        ] {
            #expect(lines.contains(line), "\(line)\n\(page)")
        }
    }

    @Test("a store in a database has no file, and no round trip if the database didn't answer")
    func database() {
        let page = MetricsPage(
            metrics: ServerMetrics(), state: ServerState(store: .database(answers: false)), started: .zero
        ).text
        let lines = Set(page.split(separator: "\n").map(String.init))
        #expect(lines.contains("focusd_store_info{store=\"postgresql\"} 1"))
        #expect(lines.contains("focusd_store_round_trip_seconds NaN") && lines.contains("focusd_servers 1"))
        #expect(!page.contains("focusd_database_size_bytes"))
    }

    @Test("each line is of the format, each metric described once and named by its type")
    func format() throws {
        let sample = /([a-z_]+)(?:\{([a-z]+="[^"\\]*")\})? (-?[0-9.e+-]+|NaN|[+-]Inf)/
        var described: [String: Substring] = [:]
        var helped: Set<Substring> = []
        for line in page.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP ") {
                let isNew = helped.insert(words[2]).inserted
                #expect(isNew && words.count > 3, "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(helped.contains(words[2]))
                described[String(words[2])] = words[3]
                #expect((words[3] == "counter") == words[2].hasSuffix("_total"), "\(line)")
            } else {
                let match = try #require(try sample.wholeMatch(in: line), "\(line)")
                let name = String(match.1)
                let parts = ["_bucket", "_sum", "_count"].filter(name.hasSuffix)
                let whole = parts.first.map { String(name.dropLast($0.count)) }
                #expect(
                    described[name] != nil && described[name] != "histogram"
                        || whole.flatMap { described[$0] } == "histogram", "\(line)")
            }
        }
        #expect(page.hasSuffix("\n"))
    }

    @Test("every code of the protocol has a name of its own") func codes() {
        #expect(RefusalCode.named.map(\.code.rawValue) == Array(1...UInt8(RefusalCode.named.count)))
        #expect(RefusalCode.named.last?.code == .groupFull)
        #expect(Set(RefusalCode.named.map(\.name)).count == RefusalCode.named.count)
    }

    @Test("the page on operations lists every metric, and the files of deploy name no other")
    func documents() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let read = { (path: String) in
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let operations = try read("docs/operations.md")
        for name in names { #expect(operations.contains("`\(name)`"), "\(name)") }
        for file in ["deploy/prometheus-alerts.yml", "deploy/grafana-dashboard.json", "docs/operations.md"] {
            let used = try read(file).matches(of: /focusd_[a-z]+_?[a-z_]*[a-z]/).map { String($0.0) }
            #expect(!used.isEmpty)
            for name in Set(used) {
                let isKnown =
                    names.contains(name)
                    || ["_bucket", "_sum", "_count"].contains {
                        name.hasSuffix($0) && names.contains(String(name.dropLast($0.count)))
                    }
                #expect(isKnown, "\(file) names \(name)")
            }
        }
    }

    @Test("each metric has its description, its type and its values, escaped") func metrics() {
        var text = MetricsText()
        text.gauge("b_seconds", "How long.", -1.5)
        text.counters(
            "a_total", "A \\ and\na \"quote\".", by: "why", [("a \\ and\na \"quote\", é", 1), ("", 0)])
        #expect(
            text.text == #"""
                # HELP b_seconds How long.
                # TYPE b_seconds gauge
                b_seconds -1.5
                # HELP a_total A \\ and\na "quote".
                # TYPE a_total counter
                a_total{why="a \\ and\na \"quote\", é"} 1
                a_total{why=""} 0

                """#)
    }

    @Test(
        "numbers are written as Prometheus reads them",
        arguments: [
            (0, "0"), (-3, "-3"), (0.25, "0.25"), (1_763_661_600.5, "1763661600.5"), (1e30, "1e+30"),
            (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
        ] as [(Double, String)])
    func numbers(_ value: Double, _ written: String) {
        var text = MetricsText()
        text.gauge("a", "A.", value)
        #expect(text.text.hasSuffix("\na \(written)\n"))
    }

    @Test("a histogram counts the values up to each bound, inclusive, and all values") func histogram() {
        var histogram = Histogram([0.5, 1])
        for value in [0.1, 0.5, 0.75, 3] { histogram.observe(value) }
        var text = MetricsText()
        text.histogram("a", "A.", histogram)
        #expect(
            text.text == """
                # HELP a A.
                # TYPE a histogram
                a_bucket{le="0.5"} 2
                a_bucket{le="1"} 3
                a_bucket{le="+Inf"} 4
                a_sum 4.35
                a_count 4

                """)
    }

    private let state = ServerState(store: StoreHealth.file(StoreFile(isThere: true, bytes: 1, free: 1)))

    @Test("a server that can store presses has no trouble") func ready() {
        var state = state
        #expect(state.troubles == [])
        // Stamps in the future in one group don't keep the server from serving the others.
        state.logAhead = .seconds(3_600)
        state.storeSilence = .seconds(15)
        #expect(state.troubles == [])
    }

    @Test("a clock behind the time served, or one that jumped, is a trouble") func clock() {
        var state = state
        let remedy = ": set the clock right, or if it is right now, accept it (focusd clock accept)."
        state.clock = .behind(by: .seconds(3_600))
        #expect(
            state.sentences == ["The clock is 3600 s behind the time served before\(remedy)"])
        state.clock = .jumped(by: .seconds(-180))
        #expect(state.sentences == ["The clock has jumped back by 180 s\(remedy)"])
        state.clock = .jumped(by: .seconds(180))
        #expect(state.sentences == ["The clock has jumped ahead by 180 s\(remedy)"])
        state.isStopping = true
        state.clock = .jumped(by: .seconds(Int64.max))
        #expect(state.troubles.count == 2 && state.sentences.first == "The server is stopping.")
    }

    @Test("a store that is gone, full, unwritable or silent is a trouble") func store() {
        let gone = ServerState(
            storeProblem: .full, store: StoreHealth.file(StoreFile(isThere: false, bytes: 0, free: 0)))
        #expect(
            gone.sentences == ["The store is gone: restore a backup, or restart the server."])
        #expect(
            gone.sentence(.silent)
                == "Not ready. The store is gone: restore a backup, or restart the server.")
        let full = ServerState(store: StoreHealth.file(StoreFile(isThere: true, bytes: 1, free: 0)))
        #expect(full.sentences == ["The disk with the store is full: make room on it."])
        var state = state
        state.storeProblem = .full
        #expect(state.troubles == full.troubles)
        state.storeProblem = .unwritable
        #expect(state.sentences == ["The store can't be written: the log says why."])
        state.storeProblem = nil
        state.storeSilence = .seconds(16)
        #expect(state.sentences == ["The store's disk hasn't answered for 16 s."])
    }

    @Test("a database that can't be reached or doesn't answer is a trouble, and has no disk to be full")
    func databaseTroubles() {
        var state = ServerState(store: .database(answers: true))
        #expect(state.troubles == [])
        state.storeProblem = .busy(isUnknown: false)
        #expect(state.sentences == ["The store can't be written: the log says why."])
        state.store = .database(answers: false)
        #expect(
            state.sentences == [
                "The database with the store can't be reached: the log says why."
            ])
        state = ServerState(store: .database(answers: true))
        state.storeSilence = .seconds(16)
        #expect(
            state.sentences == ["The database with the store hasn't answered for 16 s."])
    }

    @Test(
        "the state of the store's file has its size, the free space, and whether it is still the opened one"
    )
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("file")
        try "12345".write(toFile: path, atomically: false, encoding: .utf8)
        let watch = StoreFileCheck(path)
        let seen = watch.measure()
        #expect(seen.isThere && seen.bytes == 5 && seen.free > 0)
        try "123".write(toFile: "\(path)-wal", atomically: false, encoding: .utf8)
        #expect(watch.measure().bytes == 8)
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).old")
        #expect(!watch.measure().isThere)
        try "12345".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(!watch.measure().isThere)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: "\(path).old", toPath: path)
        #expect(watch.measure().isThere)
    }

    private let before = StoreHealth.file(StoreFile(isThere: true, bytes: 1, free: 10))
    private let after = StoreHealth.file(StoreFile(isThere: true, bytes: 2, free: 9))

    private func instant(_ seconds: Int64) -> SteadyInstant { .zero + .seconds(seconds) }

    @Test(
        "the store's health is the result of the last check; one runs at a time, and it is silent since one began"
    )
    func healthChecks() {
        let monitor = StoreHealthMonitor(before)
        #expect(monitor.silence(at: instant(9)) == .zero)
        #expect(monitor.begin(at: instant(10)) && !monitor.begin(at: instant(20)))
        #expect(monitor.health == before && monitor.roundTrip == nil)
        #expect(monitor.silence(at: instant(27)) == .seconds(17))
        monitor.end(after, after: .milliseconds(3))
        #expect(monitor.health == after && monitor.roundTrip == .milliseconds(3))
        #expect(monitor.silence(at: instant(28)) == .zero && monitor.begin(at: instant(29)))
        // Nothing answered, so there is no round trip.
        monitor.end(.database(answers: false), after: .seconds(5))
        #expect(monitor.health == .database(answers: false) && monitor.roundTrip == nil)
    }
}

extension ServerState {
    fileprivate var sentences: [String] { troubles.map { $0.sentence(.silent) } }
}
