import FocusCore
import FocusNet
import FocusServerStore
import FocusServing
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

/// Several servers beside each other on one database, over real TLS.
@Suite("Servers that share a store", .ends(within: .seconds(300)))
struct SharedServingTests {
    private let neighbours: Neighbours

    init() throws { neighbours = try Neighbours() }

    @Test("what is pressed through one server is pushed to a laptop at the other, in both directions")
    func pushing() async throws {
        try await neighbours.serving { one, other in
            let first = try await neighbours.founder(at: one)
            let second = try await neighbours.joiner(with: neighbours.invite(by: first), at: other)
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

    @Test("where nobody hears what is told, what was pressed comes all the same")
    func untold() async throws {
        try await neighbours.serving { one, other in
            let first = try await neighbours.founder(at: one)
            let second = try await neighbours.joiner(with: neighbours.invite(by: first), at: other)
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
}
