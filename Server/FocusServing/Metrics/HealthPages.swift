import FocusCore
import FocusHTTP
import FocusNet
package import FocusSync
import FocusWriter

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
            "focusd_build_info", "Always 1; which version runs.", labels: [("version", Lockstep.version)], 1)
        text.gauge(
            "process_start_time_seconds", "When the server began, in seconds since the Unix epoch.",
            Double(started.milliseconds) / 1000)
        text.gauge(
            "focusd_ready", "Whether laptops can have their presses stored: 1 where /readyz says so, else 0.",
            state.troubles.isEmpty ? 1 : 0)
        text.gauge("focusd_groups", "Groups on this server.", Double(state.groups))
        text.gauge("focusd_devices", "Devices of all groups, the revoked not counted.", Double(state.devices))
        text.gauge(
            "focusd_clock_sure", "Whether the server is sure of its clock: 1 where it is, else 0.",
            state.clock.shared != nil ? 1 : 0)
        text.gauge(
            "focusd_clock_offset_seconds",
            "How far the clock is ahead of the greatest time served; negative where it is behind.",
            state.clockOffset.seconds)
        text.gauge(
            "focusd_log_ahead_seconds",
            "How far the newest event of any group is ahead of the clock; negative where it is behind, NaN where "
                + "there is none.", state.logAhead?.seconds ?? .nan)
    }

    private func connections(_ text: inout MetricsText) {
        text.gauge("focusd_connections", "Connections that are open now.", Double(state.connections))
        text.gauge(
            "focusd_buffered_bytes",
            "What is held in memory for connections: messages that aren't whole, uploads that aren't stored, and what "
                + "laptops don't take.", Double(state.bufferedBytes))
        text.counter("focusd_handshakes_total", "TLS handshakes that came about.", metrics.handshakes)
        text.counters(
            "focusd_handshake_failures_total", "TLS handshakes that didn't come about, by why.", by: "reason",
            NetError.Code.allCases.compactMap { code in
                let count = metrics.handshakeFailures[code]
                guard count != nil || MetricsPage.usualFailures.contains(code) else { return nil }
                return (MetricsPage.snakeCase(code.rawValue), count ?? 0)
            })
        text.counter(
            "focusd_received_bytes_total", "What laptops sent, without what TLS adds.", metrics.bytesReceived)
        text.counter(
            "focusd_sent_bytes_total", "What laptops were sent, without what TLS adds.", metrics.bytesSent)
        text.counters(
            "focusd_refusals_total",
            "What was refused, by the protocol's code: connections, uploads, requests.",
            by: "code",
            RefusalCode.named.map { ($0.name, metrics.refusals[$0.code] ?? 0) })
    }

    private func events(_ text: inout MetricsText) {
        text.counter("focusd_events_merged_total", "Events that were new and are stored.", metrics.events)
        text.counter(
            "focusd_events_duplicate_total", "Events of uploads that were stored already.", metrics.duplicates
        )
        text.histogram(
            "focusd_push_latency_seconds",
            "From an upload's arrival until it was acknowledged and on its way to the other laptops.",
            metrics.pushSeconds)
    }

    private func storing(_ text: inout MetricsText) {
        text.gauge(
            "focusd_store_info",
            "Always 1; which kind of store there is: sqlite is a file, postgresql a database.",
            labels: [("store", state.store.file == nil ? "postgresql" : "sqlite")], 1)
        text.gauge(
            "focusd_store_round_trip_seconds",
            "How long the store took to answer when it was looked at last, which is once a second; NaN where it didn't.",
            state.storeRoundTrip?.seconds ?? .nan)
        text.histogram(
            "focusd_commit_latency_seconds", "How long storing a batch took, until it was on the disk.",
            metrics.commitSeconds)
        text.histogram("focusd_batch_requests", "What was asked for in one batch.", metrics.batchRequests)
        text.histogram("focusd_batch_events", "New events in one batch.", metrics.batchEvents)
        text.counter(
            "focusd_commit_failures_total", "Batches that could not be stored.", metrics.failedBatches)
        text.counter(
            "focusd_turn_failures_total",
            "Turns of a group that could not be stored though the rest of their batch could.",
            metrics.failedTurns)
        // The server can't measure the disk of a database.
        if let file = state.store.file {
            text.gauge(
                "focusd_database_size_bytes",
                "What the store takes on the disk, its write-ahead log included.",
                Double(file.bytes))
            text.gauge(
                "focusd_disk_free_bytes", "What is free for the server on the store's disk.",
                Double(file.free))
        }
        text.gauge(
            "focusd_backup_interval_seconds",
            "How often the server makes a backup by itself; 0 where it makes none.",
            (state.backup?.interval ?? .zero).seconds)
        text.gauge(
            "focusd_backup_last_success_timestamp_seconds",
            "When the server last made a backup by itself, in seconds since the Unix epoch; 0 where it never did.",
            Double(state.backup?.last?.milliseconds ?? 0) / 1000)
        text.counter(
            "focusd_backup_failures_total", "Backups that the server could not make.",
            state.backup?.failures ?? 0)
    }

    /// Adds the metrics about several servers that share one store.
    private func sharing(_ text: inout MetricsText) {
        text.gauge(
            "focusd_servers", "Servers that run on the store, this one among them.", Double(metrics.servers))
        text.histogram(
            "focusd_news_delay_seconds",
            "From another server's commit until this one had read that there was one, by the database's clock.",
            metrics.newsSeconds)
        text.counter(
            "focusd_unknown_commits_total",
            "Batches that may have been stored all the same, as the database's answer was lost; what is there is looked up.",
            metrics.unknownBatches)
        text.counter(
            "focusd_stale_turns_total",
            "Turns of a group that rows refused, as another server had stored something meanwhile; they are done again.",
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

extension RefusalCode {
    /// Every code of docs/protocol.md with its name in metrics, in the protocol's order.
    package static let named: [(code: RefusalCode, name: String)] = [
        (.version, "version"), (.unknownDevice, "unknown_device"), (.revoked, "revoked"),
        (.tokenInvalid, "token_invalid"), (.tokenExpired, "token_expired"), (.notAllowed, "not_allowed"),
        (.frameTooLarge, "frame_too_large"), (.malformed, "malformed"), (.gap, "gap"), (.parted, "parted"),
        (.clockAhead, "clock_ahead"), (.clockNotSure, "clock_not_sure"), (.unknownEpoch, "unknown_epoch"),
        (.rate, "rate"), (.quota, "quota"), (.busy, "busy"), (.shuttingDown, "shutting_down"),
        (.internal, "internal"), (.silence, "silence"), (.noRoom, "no_room"), (.groupFull, "group_full"),
    ]
}
