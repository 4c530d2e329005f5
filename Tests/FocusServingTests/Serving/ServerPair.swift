import FocusCore
import FocusNet
import FocusSeal
import FocusServerStore
import FocusServing
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import Testing

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

    /// Returns a laptop that has brought the group to a server, and is live.
    func founder(at endpoint: Endpoint, _ group: GroupID = ServerFixture.group) async throws -> TestLaptop {
        let laptop = try TestLaptop()
        _ = try await laptop.bring(group, to: endpoint, one)
        return laptop
    }

    /// Opens another connection of a laptop, and makes it live.
    func connect(_ laptop: TestLaptop, to endpoint: Endpoint) async throws -> TestLaptop {
        let again = try TestLaptop(as: laptop)
        try await again.connect(to: endpoint, pin: one.key(), purpose: .sync)
        _ = try await again.enter()
        return again
    }

    /// Returns the token of a new invite that a member made.
    func invite(by host: TestLaptop) async throws -> [UInt8] {
        let secret = try InviteSecret.random()
        let hash = try secret.token().hash()
        await host.send(.createInvite(InviteRequest(tokenHash: hash, bundle: [4, 2], lifetime: 60_000)))
        _ = try await host.next { message in if case .inviteCreated(let hash) = message { hash } else { nil }
        }
        return try secret.token().bytes.exposed()
    }

    /// Returns a laptop that has joined with a token, and is live.
    func joiner(with token: [UInt8], at endpoint: Endpoint) async throws -> TestLaptop {
        let laptop = try TestLaptop()
        try await laptop.connect(to: endpoint, pin: one.key(), purpose: .enrol)
        await laptop.send(.enrol(Enrol(token: token, kind: .join)))
        _ = try await laptop.enter()
        return laptop
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
