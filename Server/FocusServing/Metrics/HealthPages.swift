import FocusCore
import FocusHTTP
import FocusNet
import FocusServerCore
import FocusSync

/// Answers requests for `/metrics`, `/healthz` and `/readyz`. Runs on the event loop's thread.
final class HealthPages: HTTPHandler {
    /// The headers of every answer.
    static let headers = [
        HTTPField("Cache-Control", "no-store"), HTTPField("X-Content-Type-Options", "nosniff"),
    ]

    /// Tight limits for clients: they send short requests without a body, and there are few of them.
    static let limits = {
        var limits = HTTPLimits()
        limits.connections = 16
        limits.streams = 0
        limits.body = 0
        limits.patience = .seconds(2)
        return limits
    }()

    private let log: Log
    private let page: () -> MetricsPage?

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - log: Supplies the names of commands for the messages.
    ///   - page: Returns the present metrics, or nil if the server no longer exists.
    init(_ log: Log, _ page: @escaping () -> MetricsPage?) {
        self.log = log
        self.page = page
    }

    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard ["/metrics", "/healthz", "/readyz"].contains(head.path) else { return HTTPResponse(404) }
        return ["GET", "HEAD"].contains(head.method) ? nil : .otherMethod(than: "GET, HEAD")
    }

    func answer(_ exchange: HTTPExchange) {
        guard let page = page() else { return exchange.send(HTTPResponse(503)) }
        switch exchange.request.path {
        case "/metrics":
            exchange.send(HTTPResponse(200, type: MetricsText.type, Array(page.text.utf8)))
        case "/readyz":
            let troubles = page.state.troubles.map { $0.sentence(log) }
            exchange.send(
                troubles.isEmpty ? HealthPages.plain(200, ["ready"]) : HealthPages.plain(503, troubles))
        default: exchange.send(HealthPages.plain(200, ["ok"]))
        }
    }

    private static func plain(_ status: UInt32, _ lines: [String]) -> HTTPResponse {
        HTTPResponse(
            status, type: "text/plain; charset=utf-8", Array(lines.map { "\($0)\n" }.joined().utf8))
    }
}

/// The text of `/metrics` (docs/operations.md, "Metrics and health"). It identifies no group and no device.
struct MetricsPage {
    let metrics: ServerMetrics
    let state: ServerState
    /// The instant at which the server started.
    let started: SharedInstant

    var text: String {
        var text = MetricsText()
        about(&text)
        connections(&text)
        events(&text)
        storing(&text)
        sharing(&text)
        return text.text
    }

    private func about(_ text: inout MetricsText) {
        text.gauge(
            "focusd_build_info", "Always 1; the label has the version.",
            labels: [("version", Lockstep.version)], 1)
        text.gauge(
            "process_start_time_seconds", "When the server started, in seconds since the Unix epoch.",
            Double(started.milliseconds) / 1000)
        text.gauge(
            "focusd_ready", "Whether the server can store presses: 1 if /readyz says so, otherwise 0.",
            state.troubles.isEmpty ? 1 : 0)
        text.gauge("focusd_groups", "Groups on this server.", Double(state.groups))
        text.gauge("focusd_devices", "Devices of all groups, without revoked ones.", Double(state.devices))
        text.gauge(
            "focusd_clock_sure", "Whether the server is sure of its clock: 1 if it is, otherwise 0.",
            state.clock.shared != nil ? 1 : 0)
        text.gauge(
            "focusd_clock_offset_seconds",
            "How far the clock is ahead of the greatest time served; negative if it is behind.",
            state.clockOffset.seconds)
        text.gauge(
            "focusd_log_ahead_seconds",
            "How far the newest event of any group is ahead of the clock; negative if it is behind, NaN if there is "
                + "none.", state.logAhead?.seconds ?? .nan)
    }

    private func connections(_ text: inout MetricsText) {
        text.gauge("focusd_connections", "Connections that are open now.", Double(state.connections))
        text.gauge(
            "focusd_buffered_bytes",
            "Memory for connections: incomplete messages, uploads not stored yet, and data that laptops don't read.",
            Double(state.bufferedBytes))
        text.counter("focusd_handshakes_total", "TLS handshakes that succeeded.", metrics.handshakes)
        text.counters(
            "focusd_handshake_failures_total", "TLS handshakes that failed, by reason.", by: "reason",
            NetError.Code.allCases.compactMap { code in
                let count = metrics.handshakeFailures[code]
                guard count != nil || MetricsPage.usualFailures.contains(code) else { return nil }
                return (MetricsPage.snakeCase(code.rawValue), count ?? 0)
            })
        text.counter(
            "focusd_received_bytes_total", "Bytes received from laptops, without TLS overhead.",
            metrics.bytesReceived)
        text.counter(
            "focusd_sent_bytes_total", "Bytes sent to laptops, without TLS overhead.", metrics.bytesSent)
        text.counters(
            "focusd_refusals_total",
            "Refused connections, uploads and requests, by the protocol's code.",
            by: "code",
            RefusalCode.named.map { ($0.name, metrics.refusals[$0.code] ?? 0) })
    }

    private func events(_ text: inout MetricsText) {
        text.counter("focusd_events_merged_total", "New events that were stored.", metrics.events)
        text.counter(
            "focusd_events_duplicate_total", "Uploaded events that were stored already.", metrics.duplicates
        )
        text.histogram(
            "focusd_push_latency_seconds",
            "Time from an upload's arrival until it was acknowledged and being sent to the other laptops.",
            metrics.pushSeconds)
    }

    private func storing(_ text: inout MetricsText) {
        text.gauge(
            "focusd_store_info",
            "Always 1; the label has the kind of store: sqlite is a file, postgresql a database.",
            labels: [("store", state.store.file == nil ? "postgresql" : "sqlite")], 1)
        text.gauge(
            "focusd_store_round_trip_seconds",
            "How long the store took to answer the last check, one each second; NaN if it didn't answer.",
            state.storeRoundTrip?.seconds ?? .nan)
        text.histogram(
            "focusd_commit_latency_seconds", "Time to store a batch durably.",
            metrics.commitSeconds)
        text.histogram("focusd_batch_requests", "Requests in one batch.", metrics.batchRequests)
        text.histogram("focusd_batch_events", "New events in one batch.", metrics.batchEvents)
        text.counter(
            "focusd_commit_failures_total", "Batches that could not be stored.", metrics.failedBatches)
        text.counter(
            "focusd_turn_failures_total",
            "Turns of a group that could not be stored, although the rest of their batch could.",
            metrics.failedTurns)
        // The server can't measure the disk of a database.
        if let file = state.store.file {
            text.gauge(
                "focusd_database_size_bytes",
                "Size of the store on the disk, including its write-ahead log.",
                Double(file.bytes))
            text.gauge(
                "focusd_disk_free_bytes", "Free space for the server on the store's disk.",
                Double(file.free))
        }
        text.gauge(
            "focusd_backup_interval_seconds",
            "Time between two automatic backups; 0 if there are none.",
            (state.backup?.interval ?? .zero).seconds)
        text.gauge(
            "focusd_backup_last_success_timestamp_seconds",
            "When the last automatic backup was made, in seconds since the Unix epoch; 0 if none was made.",
            Double(state.backup?.last?.milliseconds ?? 0) / 1000)
        text.counter(
            "focusd_backup_failures_total", "Backups that the server could not make.",
            state.backup?.failures ?? 0)
    }

    /// Adds the metrics about several servers that share one store.
    private func sharing(_ text: inout MetricsText) {
        text.gauge(
            "focusd_servers", "Servers that run on the store, including this one.", Double(metrics.servers))
        text.histogram(
            "focusd_news_delay_seconds",
            "Time from another server's commit until this server read the news of it, by the database's clock.",
            metrics.newsSeconds)
        text.counter(
            "focusd_unknown_commits_total",
            "Batches that may or may not be stored, because the database's answer was lost; the server looks it up.",
            metrics.unknownBatches)
        text.counter(
            "focusd_stale_turns_total",
            "Turns of a group that failed because another server had stored something meanwhile; they are repeated.",
            metrics.staleTurns)
    }

    /// The failure reasons that are listed with 0 before the first failure. An alert on an increase notices
    /// the first failure only if there was a 0 before it.
    private static let usualFailures: Set<NetError.Code> = [
        .timedOut, .tlsFailed, .alpnMismatch, .peerRejected, .closed, .aborted,
    ]

    /// Returns a name in snake case: `tlsFailed` becomes `tls_failed`.
    static func snakeCase(_ name: String) -> String {
        name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
    }
}
