import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

/// Tests of the pages for monitoring, over HTTP.
@Suite(.ends(within: .seconds(300))) struct HealthPagesTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    /// The pages of a running server.
    private struct Pages {
        let port: UInt16

        func answer(_ path: String, _ method: String = "GET") throws -> HTTPClient.Answer {
            try HTTPClient(port: port).ask(method, path, host: "127.0.0.1:\(port)")
        }
    }

    /// Runs a server that serves metrics while `body` runs.
    private func serving(_ body: (Pages) throws -> Void) async throws {
        var settings = ServerSettings()
        settings.listen = Address("127.0.0.1:0")
        settings.metrics = Address("127.0.0.1:0").map(MetricsAddress.at) ?? .auto
        let running = try await RunningServer(
            installation.folder, RunningServer.Options(settings: settings), log: .silent)
        do {
            let address = try #require(DataLock.notes(installation.folder)?.metrics)
            try body(Pages(port: #require(address.split(separator: ":").last.flatMap { UInt16($0) })))
        } catch {
            Issue.record(error)
        }
        await running.server.stop()
        await running.waitUntilStopped()
    }

    @Test("a server that can store presses says so, and no page may be kept") func ready() async throws {
        try await serving { pages in
            for (path, body) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
                let answer = try pages.answer(path)
                #expect(answer.status == 200 && answer.body == body)
                #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
            }
            let metrics = try pages.answer("/metrics")
            #expect(metrics.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(metrics.body.contains("\nfocusd_ready 1\n"))
            #expect(metrics.body.contains("\nfocusd_clock_sure 1\n"))
        }
    }

    @Test("a server that isn't sure of its clock is alive, and not ready") func notReady() async throws {
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        let served = ServerClock.wall() + .seconds(86_400)
        try store.write { try $0.raiseGreatestServed(to: served, acceptances: nil) }
        try await serving { pages in
            let answer = try pages.answer("/readyz")
            #expect(answer.status == 503 && answer.body.hasPrefix("The clock is "), "\(answer.body)")
            #expect(try pages.answer("/healthz").status == 200)
            let metrics = try pages.answer("/metrics")
            #expect(metrics.status == 200 && metrics.body.contains("\nfocusd_ready 0\n"))
            #expect(metrics.body.contains("\nfocusd_clock_sure 0\n"))
            #expect(metrics.body.contains("\nfocusd_clock_offset_seconds -8"), "\(metrics.body)")
        }
    }

    @Test("there are no other pages, and they can only be read") func others() async throws {
        try await serving { pages in
            for path in ["/", "/metrics/", "/readyz/x"] {
                #expect(try pages.answer(path).status == 404, "\(path)")
            }
            for path in ["/metrics", "/healthz", "/readyz"] {
                let answer = try pages.answer(path, "DELETE")
                #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD", "\(path)")
            }
        }
    }
}
