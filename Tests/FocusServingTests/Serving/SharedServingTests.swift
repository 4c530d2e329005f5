import FocusCore
import FocusNet
import FocusServerCore
import FocusServerStore
import FocusServing
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServer

/// Tests of several servers on one database, over real TLS.
@Suite("Servers that share a store", .ends(within: .seconds(600)))
struct SharedServingTests {
    private let neighbours: ServerPair

    init() throws { neighbours = try ServerPair() }

    @Test("presses through one server are pushed to a laptop at the other by notices, both ways")
    func pushing() async throws {
        // At this interval polling is too late for the test, so only notices can bring the events.
        try await neighbours.servingLaptops(lookingEvery: .seconds(3_600)) { _, _, first, second in
            var (author, answerer) = (Author(1), Author(2))
            for _ in 0..<20 {
                let (segment, answer) = (try author.write(1), try answerer.write(1))
                await first.send(.upload(segment))
                #expect(try await second.nextPush() == segment)
                await second.send(.upload(answer))
                #expect(try await first.nextPush() == answer)
            }
        }
    }

    @Test("presses reach the other server even if its connection for notices breaks")
    func untold() async throws {
        try await neighbours.servingLaptops { _, _, first, second in
            var author = Author(1)
            for _ in 0..<3 {
                let killed = try neighbours.rows(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE '%FROM servers%' AND pid <> pg_backend_pid()
                    """)
                #expect(killed.count > 0)
                let segment = try author.write(1)
                await first.send(.upload(segment))
                #expect(try await second.nextPush() == segment)
            }
        }
    }

    @Test("changes without a notice are found too")
    func silent() async throws {
        try await neighbours.servingLaptops { one, _, first, second in
            // This reader stands for a server that sends no notices.
            let reader = try NewsReader(at: neighbours.address, place: "elsewhere", now: .zero)
            let store = try PostgreSQLServerStore(at: neighbours.address, access: .existing)
            let writer = try LogWriter(
                store, clock: ServerClock(greatestServed: .zero), limits: ServerLimits(), log: .silent)
            let number = try #require(writer.groups[ServerFixture.group]).number
            var author = Author(1)
            let segment = try author.write(1)
            _ = writer.batches([.merge(segment, ServerFixture.group, by: first.device, from: 1)])
            _ = try neighbours.rows(
                """
                INSERT INTO news (server, number, logs, rosters) VALUES (\(reader.server), 1, '{\(number)}', '{}')
                """)
            for laptop in [first, second] { #expect(try await laptop.nextPush() == segment) }
        }
    }

    /// Waits until a laptop is told that another one was revoked.
    private func hears(_ laptop: TestLaptop, of device: Digest) async throws {
        try await laptop.next { message in
            if case .revoked(let revoked) = message, revoked == device { () } else { nil }
        }
    }

    @Test("a device revoked at one server loses its connection at the other, and can't return there")
    func revoking() async throws {
        try await neighbours.servingLaptops { one, other, first, second in
            let third = try await neighbours.one.joiner(invitedBy: first, at: other)
            await first.ask(.revoke(second.device))
            #expect(try await second.nextRefusal() == .revoked)
            try await hears(third, of: second.device)
            let again = try TestLaptop(as: second)
            try await again.connect(to: other, pin: neighbours.one.key(), purpose: .sync)
            #expect(try await again.nextRefusal() == .revoked)
            // An operator's command in one server's folder has the same effect.
            try OperatorRevokeCommand(id: third.device.hexadecimal).run(
                neighbours.one.folder, neighbours.one.console)
            #expect(try await third.nextRefusal() == .revoked)
            try await hears(first, of: third.device)
        }
    }

    @Test("groups, devices, invites and epochs of one server are known at the other at once")
    func known() async throws {
        try await neighbours.serving { one, other in
            for number in 1...5 as ClosedRange<UInt64> {
                let group = GroupID(high: 9, low: number)
                let first = try await neighbours.one.founder(at: one, group)
                // The device is enrolled, and its group exists.
                let here = try await neighbours.one.reconnect(first, to: other).laptop
                let joined = try await neighbours.one.joiner(invitedBy: first, at: other)
                let there = try await neighbours.one.reconnect(joined, to: one).laptop
                let record = EpochRecord(
                    epoch: EpochID(rawValue: 70 + number), predecessor: nil, body: [1, 2, 3])
                await here.ask(.epoch(record))
                let told = try await there.next { message in
                    if case .epoch(let record) = message { record } else { nil }
                }
                #expect(told == record)
                _ = (first, joined)
            }
        }
    }

    /// Waits until a laptop is told that another one is connected, or isn't.
    private func tells(_ laptop: TestLaptop, of other: TestLaptop, isConnected: Bool) async throws {
        try await laptop.next { message in
            guard case .presence(let changes) = message else { return nil as Void? }
            let isTold = changes.contains { $0.device == other.device && $0.isConnected == isConnected }
            return isTold ? () : nil
        }
    }

    @Test("laptops are shown laptops at another server as connected, until these leave")
    func presence() async throws {
        try await neighbours.servingLaptops { one, _, first, second in
            try await tells(first, of: second, isConnected: true)
            let third = try await neighbours.one.joiner(invitedBy: first, at: one)
            await third.close()
            // A laptop that connects later finds it in the welcome.
            let welcome = try await neighbours.one.reconnect(third, to: one).welcome
            #expect(welcome.presence.first { $0.device == second.device }?.isConnected == true)
            await second.close()
            try await tells(first, of: second, isConnected: false)
        }
    }

    @Test("a laptop that is connected to two servers stays shown as connected when it leaves one")
    func twice() async throws {
        try await neighbours.servingLaptops { one, other, first, second in
            try await tells(first, of: second, isConnected: true)
            let third = try await neighbours.one.joiner(invitedBy: first, at: one)
            try await tells(second, of: third, isConnected: true)
            let server =
                "SELECT server FROM devices WHERE connected IS NOT NULL AND key = '\\x\(third.device.hexadecimal)'"
            let home: Int64 = try await neighbours.first(of: server) { $0[0] }
            func becomes(_ isHome: Bool) async throws {
                try await neighbours.first(of: server) { ($0[0] as Int64 == home) == isHome ? () : nil }
            }
            let moved = try await neighbours.one.reconnect(third, to: other).laptop
            try await becomes(false)
            await moved.close()
            // In the store the device is disconnected until its first server reports that it is still
            // connected there.
            try await becomes(true)
            // The second server reads that a moment later.
            var isShown = false
            for _ in 0..<200 where !isShown {
                let (again, welcome) = try await neighbours.one.reconnect(second, to: other)
                isShown = welcome.presence.contains { $0.device == third.device && $0.isConnected }
                await again.close()
            }
            #expect(isShown)
        }
    }

    /// Leaves the row of a connected laptop, as a killed server does, and returns that server's number.
    private func leaveBehind(_ laptop: TestLaptop) throws -> Int64 {
        let reader = try NewsReader(at: neighbours.address, place: "elsewhere", now: .zero)
        try PostgreSQLServerStore(at: neighbours.address, access: .existing, server: reader.server).write {
            try $0.record(Sighting(time: 5, connectedSince: 5), of: laptop.device)
        }
        return reader.server
    }

    @Test("a laptop that came from a killed server, and leaves, is shown as gone")
    func left() async throws {
        try await neighbours.servingLaptops { one, _, first, second in
            try await tells(first, of: second, isConnected: true)
            await second.close()
            try await tells(first, of: second, isConnected: false)
            let killed = try leaveBehind(second)
            try await tells(first, of: second, isConnected: true)
            let again = try await neighbours.one.reconnect(second, to: one).laptop
            let home =
                "SELECT server FROM devices WHERE key = '\\x\(second.device.hexadecimal)' AND server <> \(killed)"
            let _: Int64 = try await neighbours.first(of: home) { $0[0] }
            await again.close()
            try await tells(first, of: second, isConnected: false)
        }
    }

    @Test("nobody stays connected to a killed server, and a server that only starts isn't taken for gone")
    func killed() async throws {
        let (first, second) = try await neighbours.other.serving { other, _ in
            let first = try await neighbours.one.founder(at: other)
            return (first, try await neighbours.one.joiner(invitedBy: first, at: other))
        }
        let killed = try leaveBehind(second)
        try await neighbours.one.serving { one, _ in
            let (again, welcome) = try await neighbours.one.reconnect(first, to: one)
            #expect(welcome.presence.first { $0.device == second.device }?.isConnected == true)
            _ = try neighbours.rows(
                "UPDATE servers SET seen = seen - interval '1 min' WHERE number = \(killed)")
            try await tells(again, of: second, isConnected: false)
        }
    }
}

/// Two servers that share a store in a database, in one process.
struct ServerPair {
    let address: PostgreSQLAddress
    let one: Installation
    let other: Installation

    init() throws {
        address = try TestPostgreSQL.running.makeDatabase()
        one = try Installation(at: .database(address))
        other = try Installation(at: .database(address), besides: one)
    }

    /// Runs both servers while `body` runs.
    ///
    /// - Parameter period: The interval at which each server looks for changes of the other one without a
    ///   notice.
    func serving<Value>(
        lookingEvery period: Duration = NewsPoller.period,
        _ body: (_ one: Endpoint, _ other: Endpoint) async throws -> Value
    ) async throws -> Value {
        try await one.serving(lookingEvery: period) { first, _ in
            try await other.serving(lookingEvery: period) { second, _ in try await body(first, second) }
        }
    }

    /// Runs both servers while `body` runs, with a laptop that has brought the group to the first one, and a
    /// laptop at the other one that joined by its invite.
    func servingLaptops(
        lookingEvery period: Duration = NewsPoller.period,
        _ body: (
            _ one: Endpoint, _ other: Endpoint, _ first: TestLaptop, _ second: TestLaptop
        ) async throws -> Void
    ) async throws {
        try await serving(lookingEvery: period) { endpoint, neighbour in
            let first = try await one.founder(at: endpoint)
            try await body(
                endpoint, neighbour, first, one.joiner(invitedBy: first, at: neighbour))
        }
    }

    /// Repeats the query until `pick` returns a value for its first row, and returns that value.
    func first<Picked>(of sql: String, _ pick: (PostgreSQLRow) -> Picked?) async throws -> Picked {
        let connection = try PostgreSQLConnection(to: address)
        while true {
            if let row = try connection.rows(sql).first, let picked = pick(row) { return picked }
            await Task.yield()
        }
    }

    /// Queries the database directly, beside the servers.
    func rows(_ sql: String) throws -> PostgreSQLRows { try PostgreSQLConnection(to: address).rows(sql) }
}
