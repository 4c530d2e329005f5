import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

/// A writer whose database takes nothing for a while.
@Suite("Databases that take nothing", .ends(within: .seconds(300)))
struct TroubledDatabaseTests {
    /// Why it takes nothing.
    enum Trouble: CaseIterable {
        /// Its disk is full.
        case full
        /// It is a standby by now.
        case readOnly
        /// Somebody holds what is to be written.
        case locked

        /// What a laptop is told.
        var code: RefusalCode { self == .full ? .noRoom : .internal }
    }

    private let address: PostgreSQLAddress
    /// Whoever makes the trouble.
    private let administrator: PostgreSQLConnection

    init() throws {
        address = try ServerFixture.makeDatabase()
        administrator = try PostgreSQLConnection(to: address)
    }

    private func begin(_ trouble: Trouble) throws {
        switch trouble {
        case .full: try refuse(with: "53100")
        case .readOnly: try refuse(with: "25006")
        case .locked:
            try administrator.begin(.writing)
            _ = try administrator.rows("LOCK TABLE heads IN ACCESS EXCLUSIVE MODE")
        }
    }

    /// Has the database refuse what is written in this way.
    private func refuse(with state: String) throws {
        _ = try administrator.rows(
            """
            CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''nothing is taken'' USING ERRCODE = ''\(state)''; END'
            """)
        _ = try administrator.rows(
            "CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON heads FOR EACH ROW EXECUTE FUNCTION refuse()")
    }

    private func end(_ trouble: Trouble) throws {
        switch trouble {
        case .full, .readOnly: _ = try administrator.rows("DROP TRIGGER refusing ON heads")
        case .locked: administrator.rollBack()
        }
    }

    @Test(
        "nothing is acknowledged that a full, read-only or slow database hasn't taken, and once it takes it again, it is stored",
        arguments: Trouble.allCases)
    func takesNothing(_ trouble: Trouble) throws {
        let hands = HandClock()
        let clock = ServerClock(greatestServed: 0, wall: { hands.wall }, steady: { hands.steady })
        _ = clock.check()
        let writer = try LogWriter(
            PostgreSQLServerStore(at: address, access: .existing), clock: clock, limits: ServerLimits(),
            log: .silent)
        var author = Author(1)
        let (first, second) = (try author.write(2), try author.write(3))
        func merge(_ upload: Segment) -> [WriterOutcome] {
            writer.batches([
                .merge(upload, ServerFixture.group, by: ServerFixture.member, from: ConnectionID(1))
            ]).flatMap { $0 }
        }
        #expect(merge(first).compactMap(\.ack).map(\.seq) == [2])
        try begin(trouble)
        for _ in 0..<2 {
            let outcomes = merge(second)
            let answers = outcomes.compactMap(\.ack)
            #expect(answers.map(\.seq) == [2] && answers.map(\.stop) == [trouble.code])
            #expect(outcomes.allSatisfy { $0.push == nil })
            // Each time the lock is waited for anew: once is enough.
            if trouble == .locked { break }
        }
        try end(trouble)
        let outcomes = merge(second)
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [5] && outcomes.compactMap(\.push?.lastSeq) == [5])
        let reader = try PostgreSQLServerStore(at: address, access: .existing)
        #expect(try reader.read { try $0.logs() } == writer.groups)
        #expect(try reader.check().problems == [])
    }
}
