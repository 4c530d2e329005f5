import FocusCore
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("What servers on one database know of each other", .ends(within: .seconds(120)))
struct NewsReaderTests {
    private let address: PostgreSQLAddress
    private let sql: PostgreSQLConnection

    init() throws {
        address = try TestPostgreSQL.running.makeDatabase()
        _ = try PostgreSQLServerStore(at: address, access: .upgrading)
        sql = try PostgreSQLConnection(to: address)
    }

    private func reader(_ place: String) throws -> NewsReader {
        try NewsReader(at: address, place: place, now: .zero)
    }

    private func store(_ server: NewsReader? = nil) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore(at: address, access: .existing, server: server?.server)
    }

    private func at(_ seconds: Int64) -> SteadyInstant { .zero + .seconds(seconds) }

    /// Reads until there is no more, and returns the news.
    private func news(_ reader: NewsReader, at seconds: Int64 = 0) throws -> StoreNews {
        var news = StoreNews()
        var found: NewsReader.Found
        repeat {
            found = try reader.read(at: at(seconds))
            news.formUnion(found.news)
        } while found.isMore
        return news
    }

    /// Adds news with these numbers, written `ago` seconds ago.
    private func leave(_ numbers: ClosedRange<Int64>, of server: NewsReader, ago: Int = 0) throws {
        _ = try sql.rows(
            """
            INSERT INTO news (server, number, logs, rosters, written)
            SELECT \(server.server), number, ARRAY[number], '{}', clock_timestamp() - interval '\(ago) s'
            FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) AS number
            """)
    }

    @Test("a server's changes are news to the others once, and earlier changes are none")
    func changes() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        let store = try store(one)
        let first = try store.write { try $0.addGroup(GroupID(high: 0, low: 1), now: 1) }
        let second = try store.write { transaction in
            let number = try transaction.addGroup(GroupID(high: 0, low: 2), now: 1)
            try transaction.putDevice(digest(1), inGroup: number, now: 1)
            return number
        }
        #expect(try news(other) == StoreNews(logs: [first, second], rosters: [second]))
        #expect(try news(other).isEmpty && news(one).isEmpty)
        let late = try reader("late")
        #expect(try news(late).isEmpty)
        try store.write { try $0.record(Sighting(time: 5, connectedSince: 5), of: digest(1)) }
        for reader in [other, late] { #expect(try news(reader) == StoreNews(rosters: [second])) }
        // A change that other servers needn't know isn't news. Neither is a change that was rolled back.
        try store.write { try $0.raiseGreatestServed(to: 7, acceptances: nil) }
        #expect(throws: Undone.self) {
            try store.write { transaction in
                try transaction.listDevice(digest(2), inGroup: first, isRevoked: false, now: 1)
                throw Undone()
            }
        }
        #expect(try news(other).isEmpty)
        try store.write { try $0.listDevice(digest(2), inGroup: first, isRevoked: false, now: 1) }
        #expect(try news(other) == StoreNews(rosters: [first]))
        // If the next number is taken, the transaction fails, and the following one uses the number after it.
        _ = try sql.rows(
            "INSERT INTO news (server, number, logs, rosters) VALUES (\(one.server), 5, '{}', '{}')")
        #expect(throws: PostgreSQLError.self) {
            try store.write { try $0.listDevice(digest(3), inGroup: first, isRevoked: false, now: 1) }
        }
        try store.write { try $0.listDevice(digest(3), inGroup: first, isRevoked: false, now: 1) }
        #expect(try news(other) == StoreNews(rosters: [first]))
        let rows: Int64? = try sql.rows("SELECT count(*) FROM news").first?[0]
        let last: Int64? = try sql.rows("SELECT max(number) FROM news").first?[0]
        #expect(rows == 6 && last == 6)
    }

    @Test("each news has the time since its commit, by the database's clock")
    func delays() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        let store = try store(one)
        for low in [1, 2] as [UInt64] {
            _ = try store.write { try $0.addGroup(GroupID(high: 0, low: low), now: 1) }
        }
        _ = try sql.rows("UPDATE news SET written = written - interval '9 s' WHERE number = 1")
        let delays = try other.read(at: .zero).delays.sorted(by: >)
        #expect(delays.count == 2 && delays[0] >= .seconds(9) && delays[1] >= .zero && delays[1] < delays[0])
        #expect(try other.read(at: .zero).delays == [])
    }

    @Test("a server gets notices of others' news and of standing orders, but not of its own news")
    func notices() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        /// Returns whether the notices so far are about standing orders, or nil if there are none. `beat`
        /// first makes a round trip, so that all earlier notices have arrived.
        func heard(_ reader: NewsReader) throws -> Bool? {
            _ = try reader.beat()
            return reader.hear().map(\.mayOrdersHaveChanged)
        }
        _ = try store(one).write { try $0.addGroup(GroupID(high: 0, low: 1), now: 1) }
        while try heard(other) != false {}
        #expect(try heard(one) == nil)
        try store().write { try $0.raiseRevision() }
        while try heard(other) != true {}
        while try heard(one) != true {}
    }

    @Test(
        "all news after a missing number is read, however much there is, and the gap is waited for")
    func manyBehindGap() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        try leave(1...1, of: one)
        try leave(3...2_500, of: one)
        var read: Set<Int64> = []
        for _ in 0..<3 {
            let found = try other.read(at: at(0))
            read.formUnion(found.news.logs)
            #expect(found.isMore == (read.count < 2_499))
        }
        #expect(read.count == 2_499)
        try leave(2...2, of: one)
        #expect(try news(other, at: 1).logs == [2])
        // A gap that is never filled makes the reader read everything again, even if many numbers follow the
        // gap.
        try leave(2_502...5_000, of: one)
        #expect(try news(other, at: 2).logs == Set(2_502...5_000))
        #expect(try news(other, at: 61).isEmpty)
        #expect(try news(other, at: 62) == StoreNews(isAll: true))
    }

    @Test("a server that was away, or lost its connection, goes on from its mark, or reads everything again")
    func away() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        _ = try sql.rows(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%news%'
            """)
        let number = try store(one).write { try $0.addGroup(GroupID(high: 0, low: 1), now: 1) }
        while other.descriptor != nil {}
        #expect(throws: PostgreSQLError.self) { _ = try other.read(at: at(1)) }
        try other.connect()
        #expect(try news(other, at: 200) == StoreNews(logs: [number]))
        #expect(try news(other, at: 600) == StoreNews(isAll: true))
        #expect(try news(other, at: 601).isEmpty)
    }

    @Test("a server's first news is read even if it appears after the second, at any reader")
    func lateFirst() throws {
        let (one, before) = (try reader("one"), try reader("before"))
        try leave(2...2, of: one)
        #expect(try news(before).logs == [2])
        // A server that begins now reads the groups without this change, which isn't committed yet.
        let between = try reader("between")
        try leave(1...1, of: one)
        #expect(try news(before).logs == [1])
        #expect(try news(between).logs == [1, 2])
        for reader in [before, between, try self.reader("after")] {
            #expect(try news(reader).isEmpty && news(reader, at: 61).isEmpty)
        }
    }

    @Test("numbers missing when another server begins are waited for, unless they are too old")
    func missing() throws {
        let (one, two) = (try reader("one"), try reader("two"))
        try leave(1...3, of: one, ago: 500)
        try leave(5...7, of: one, ago: 300)
        try leave(8...10, of: one)
        try leave(12...14, of: one)
        try leave(900...901, of: two, ago: 601)
        try one.clean()
        try leave(902...902, of: two)
        let other = try reader("other")
        #expect(try news(other).logs == [12, 13, 14])
        try leave(11...11, of: one)
        #expect(try news(other).logs == [11])
        #expect(try news(other, at: 100).isEmpty)
    }

    @Test("old news is deleted except each server's last, and so is that of servers that are gone")
    func old() throws {
        let (one, other, gone) = (try reader("one"), try reader("other"), try reader("gone"))
        for reader in [one, other, gone] {
            try leave(1...2, of: reader, ago: 660)
            try leave(3...3, of: reader)
        }
        _ = try sql.rows("UPDATE servers SET ended = clock_timestamp() WHERE number = \(gone.server)")
        try one.clean()
        var left: [Int64: [Int64]] = [:]
        try sql.rows("SELECT server, number FROM news ORDER BY server, number").forEach {
            left[$0[0], default: []].append($0[1])
        }
        #expect(left == [one.server: [2, 3], other.server: [1, 2, 3], gone.server: [2, 3]])
        _ = try sql.rows(
            "UPDATE servers SET ended = ended - interval '2 days' WHERE number = \(gone.server)")
        try one.clean()
        let servers: Int64? = try sql.rows("SELECT count(*) FROM servers").first?[0]
        let news: Int64? = try sql.rows("SELECT count(*) FROM news").first?[0]
        #expect(servers == 2 && news == 5)
    }

    @Test(
        "a server without a sign of life for long is gone, and one that was taken for gone reports itself again"
    )
    func beats() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        let (store, oneStore) = (try store(other), try store(one))
        let number = try store.write { transaction in
            let number = try transaction.addGroup(GroupID(high: 0, low: 1), now: 1)
            for key in [1, 2] as [UInt8] { try transaction.putDevice(digest(key), inGroup: number, now: 1) }
            try transaction.record(Sighting(time: 5, connectedSince: 5), of: digest(1))
            return number
        }
        try oneStore.write { try $0.record(Sighting(time: 5, connectedSince: 5), of: digest(2)) }
        func connected() throws -> [Int64?] {
            try store.read { try $0.devices(of: number) }.map(\.server)
        }
        func summed() throws -> Int {
            try store.read { try $0.deviceSummaries() }.count { $0.connectedSince != nil }
        }
        #expect(try connected() == [other.server, one.server] && summed() == 2)
        #expect(
            try one.beat() == NewsReader.Beat()
                && oneStore.write { try $0.disconnectDevicesOfGoneServers() } == [])
        #expect(one.servers == 2)
        _ = try sql.rows("UPDATE servers SET seen = seen - interval '31 s' WHERE number = \(other.server)")
        // Operators see this even before a server has recorded that the other one is gone.
        #expect(try summed() == 1)
        #expect(try one.beat() == NewsReader.Beat(areGone: true) && one.servers == 1)
        #expect(try oneStore.write { try $0.disconnectDevicesOfGoneServers() } == [number])
        #expect(try connected() == [nil, one.server] && summed() == 1)
        #expect(try one.beat() == NewsReader.Beat())
        #expect(try other.beat() == NewsReader.Beat(wasGone: true))
        #expect(try other.beat() == NewsReader.Beat())
        _ = try sql.rows("DELETE FROM servers WHERE number = \(other.server)")
        #expect(try other.beat() == NewsReader.Beat(wasGone: true))
        let next = try reader("next")
        #expect(next.server > other.server)
    }

    @Test("a server that ends, or that another one at its place replaces, is gone at once")
    func ends() throws {
        let (one, other) = (try reader("one"), try reader("other"))
        other.end()
        #expect(try one.beat() == NewsReader.Beat(areGone: true))
        _ = try store(one).write { try $0.disconnectDevicesOfGoneServers() }
        #expect(try one.beat() == NewsReader.Beat())
        let again = try reader("one")
        #expect(again.server > one.server)
        #expect(try again.beat() == NewsReader.Beat(areGone: true))
    }
}
