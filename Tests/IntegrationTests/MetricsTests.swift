import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Metrics and health")
    struct MetricsTests {
        /// Runs a test with a server that serves metrics at a port of its own.
        private func withMetrics(_ body: (World) throws -> Void) throws {
            try World.with { world in
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.start()
                try body(world)
            }
        }

        @Test("a laptop's press can be followed in the metrics, and nothing in them names it")
        func press() throws {
            try withMetrics { world in
                let server = world.server
                let before = try server.samples()
                #expect(before["focusd_groups"] == 0 && before["focusd_connections"] == 0)
                #expect(try server.metricsAnswer("/healthz").body == "ok\n")
                #expect(try server.metricsAnswer("/readyz").body == "ready\n")

                for name in ["one", "two"] { try world.join(name) }
                try world.laptops[0].press("start", "Secret label")
                let log = try world.agree()
                try eventually("all is counted") {
                    try server.samples()["focusd_events_merged_total"] == Double(log.count)
                }
                let after = try server.samples()
                #expect(after["focusd_groups"] == 1 && after["focusd_devices"] == 2)
                #expect(after["focusd_connections"] == 2)
                #expect(after["focusd_ready"] == 1 && after["focusd_clock_sure"] == 1)
                for name in [
                    "focusd_handshakes_total", "focusd_received_bytes_total", "focusd_sent_bytes_total",
                    "focusd_commit_latency_seconds_count", "focusd_push_latency_seconds_count",
                    "focusd_batch_requests_count", "focusd_batch_events_count", "focusd_database_size_bytes",
                    "focusd_disk_free_bytes",
                ] {
                    #expect(after[name] ?? 0 > before[name] ?? 0 || name.hasPrefix("focusd_d"), "\(name)")
                    #expect(after[name] ?? 0 > 0, "\(name)")
                }
                #expect(after["focusd_batch_events_sum"] == Double(log.count))

                let answer = try server.metricsAnswer("/metrics")
                #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
                for device in try server.devices() { #expect(!answer.body.contains(device.id.prefix(8))) }

                let status = try server.runSuccessfully(["status"]).output
                #expect(status.contains("at http://\(server.metrics): /metrics"), "\(status)")
                #expect(
                    try server.runSuccessfully(["status", "--json"]).output.contains(
                        "\"metrics\":\"\(server.metrics)\""))
                try server.stop()
                #expect(try server.runSuccessfully(["status", "--json"]).output.contains("\"metrics\":null"))
            }
        }

        @Test("only these paths are there, and they can only be read") func requests() throws {
            try withMetrics { world in
                for path in ["/", "/metrics/", "/readyz/x", "/../etc/passwd"] {
                    #expect(try world.server.metricsAnswer(path).status == 404)
                }
                for path in ["/metrics", "/healthz", "/readyz"] {
                    let answer = try world.server.metricsAnswer(path, "DELETE")
                    #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD")
                }
                let port = try #require(
                    world.server.metrics.split(separator: ":").last.flatMap { UInt16($0) })
                let client = try HTTPClient(port: port)
                client.send("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.head().status == 200)
                #expect(try client.ask("GET", "/healthz", host: "x").body == "ok\n")
            }
        }

        @Test(
            "where the port is taken, a server that was told to use it doesn't start; another goes on without"
        )
        func taken() throws {
            try World.with { world in
                let port = try freePort()
                guard let holder = LoopbackSocket(listeningAt: port) else { throw Unmet("the port is free") }
                world.server.metrics = "127.0.0.1:\(port)"
                try world.server.begin()
                let outcome = try #require(world.server.process).wait()
                #expect(outcome.status == 1)
                #expect(outcome.messages.contains("istening on 127.0.0.1:\(port)"), "\(outcome.messages)")
                _ = consume holder

                // Another program may already use the usual port; in both cases it is in use.
                let usual = LoopbackSocket(listeningAt: 7854)
                world.server.metrics = "auto"
                try world.server.start()
                #expect(try world.server.logLines("level=warning event=no-metrics").count == 1)
                #expect(try !world.server.runSuccessfully(["status"]).output.contains("/metrics"))
                _ = consume usual
            }
        }
    }
}
