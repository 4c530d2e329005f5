import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import Foundation
import TestSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

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

    @Test("each line is of the format, each metric described once and named by its type") func format() throws
    {
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

    @Test("the page on operations lists every metric, and the files of deploy name no other") func documents()
        throws
    {
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
}
