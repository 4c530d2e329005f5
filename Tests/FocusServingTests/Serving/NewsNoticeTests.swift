import FocusCore
import FocusServerCore
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

/// Tests of the notices that a server's watch for news sends to its connections' side.
@Suite("Servers on one database that notice each other", .ends(within: .seconds(600)))
struct NewsNoticeTests {
    private let pair: ServerPair
    /// The interval between two reads. The heartbeat is due at every fifth.
    private let period = Duration.milliseconds(20)

    init() throws { pair = try ServerPair() }

    @Test("each counts the servers that run, and the news that it reads") func counting() async throws {
        try await pair.one.serving(lookingEvery: period) { one, server in
            let first = try await pair.one.founder(at: one)
            #expect(await server.counts?.servers == 1)
            try await pair.other.serving(lookingEvery: period) { other, _ in
                try await waitUntil("two servers are counted") { await server.counts?.servers == 2 }
                let second = try await pair.one.joiner(invitedBy: first, at: other)
                try await waitUntil("the delay of its news is counted") {
                    await server.counts?.newsSeconds.counts.contains { $0 > 0 } == true
                }
                await second.close()
            }
            // A server that ends says so, or the others would wait for its heartbeat for half a minute.
            #expect(try pair.rows("SELECT 1 FROM servers WHERE seen > '-infinity'").count == 1)
            try await waitUntil("one server is counted") { await server.counts?.servers == 1 }
            await first.close()
        }
    }

    @Test("one that was taken for gone says again which laptops are connected to it")
    func wasGone() async throws {
        try await pair.one.serving(lookingEvery: period) { endpoint, _ in
            let laptop = try await pair.one.founder(at: endpoint)
            try await waitUntil("the store has the connection") { try connected == 1 }
            // Another server does this if it takes the first one for gone. It is one statement, so that no
            // heartbeat arrives in between.
            _ = try pair.rows(
                """
                WITH gone AS (
                    UPDATE servers SET seen = '-infinity', ended = clock_timestamp() RETURNING number
                )
                UPDATE devices SET connected = NULL, server = NULL
                """)
            try await waitUntil("the store has the connection again") { try connected == 1 }
            #expect(pair.one.book.events.contains("was-gone"))
            await laptop.close()
        }
    }

    /// The number of devices that are connected by the store.
    private var connected: Int {
        get throws { try pair.rows("SELECT 1 FROM devices WHERE connected IS NOT NULL").count }
    }

    @Test("one that finds the tables changed to another version says so, and ends")
    func outdated() async throws {
        try await pair.one.serving(lookingEvery: period) { _, _ in
            _ = try pair.rows("UPDATE focusd_store SET version = 99")
            _ = try pair.rows(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            try await waitUntil("it ends") { pair.one.book.events.contains("stopping") }
        }
        #expect(pair.one.book.values(of: "store-of-another-version").first == .text("99"))
        #expect(pair.one.book.events.last == "stopped")
    }
}

extension Server {
    /// The server's counts for metrics; nil if it doesn't serve.
    fileprivate var counts: ServerMetrics? { switchboard?.metrics }
}
