import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

/// Tests of a writer with a database that accepts no writes for a while.
@Suite("Databases that take nothing", .ends(within: .seconds(600)))
struct TroubledDatabaseTests {
    /// The reason why the database accepts no writes.
    enum Trouble: CaseIterable {
        /// Its disk is full.
        case full
        /// It has become a standby.
        case readOnly
        /// Another connection locks a table.
        case locked

        /// The refusal that a laptop gets.
        var code: RefusalCode { self == .full ? .noRoom : .internal }
    }

    private let address: PostgreSQLAddress
    /// The connection that causes the trouble.
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

    /// Makes the database refuse writes with this SQLSTATE.
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
        "a full, read-only or locked database leads to no acknowledgement, and later uploads are stored",
        arguments: Trouble.allCases)
    func takesNothing(_ trouble: Trouble) throws {
        let writer = try LogWriter(on: PostgreSQLServerStore(at: address, access: .existing, server: 1))
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
            // Each attempt waits for the lock again, so one is enough.
            if trouble == .locked { break }
        }
        try end(trouble)
        let outcomes = merge(second)
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [5] && outcomes.compactMap(\.push?.lastSeq) == [5])
        let reader = try PostgreSQLServerStore(at: address, access: .existing)
        #expect(try reader.read { try $0.logs() } == writer.groups)
        #expect(try reader.check().problems == [])
    }

    /// Reads everything that other servers have changed.
    private func news(_ reader: NewsReader, at seconds: Int64) throws -> StoreNews {
        var news = StoreNews()
        var isMore = true
        while isMore {
            let found = try reader.read(at: .zero + .seconds(seconds))
            news.formUnion(found.news)
            isMore = found.isMore
        }
        return news
    }

    /// Makes each commit that changes a log wait until the administrator releases a lock.
    private func holdCommits() throws {
        _ = try administrator.rows(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN
                    PERFORM set_config(''lock_timeout'', ''0'', true);
                    IF NEW.logs <> ''{}'' THEN PERFORM pg_advisory_xact_lock_shared(7); END IF;
                    RETURN NULL;
                END'
            """)
        _ = try administrator.rows(
            """
            CREATE CONSTRAINT TRIGGER holding AFTER INSERT ON news DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION hold()
            """)
        _ = try administrator.rows("SELECT pg_advisory_lock(7)")
    }

    /// Selects the sessions that wait for the administrator's lock in this database, because the view has the
    /// sessions of all databases.
    private static let held = """
        FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    private func isHeld() throws -> Bool {
        try administrator.rows("SELECT pid \(TroubledDatabaseTests.held)").first != nil
    }

    @Test(
        "the late result of a commit with a lost answer is found, and told to laptops and other servers",
        arguments: [true, false])
    func late(isKept: Bool) throws {
        let (one, other) = (
            try NewsReader(at: address, place: "one", now: .zero),
            try NewsReader(at: address, place: "other", now: .zero)
        )
        let store = try PostgreSQLServerStore(
            at: address, access: .existing, server: one.server, patience: .seconds(10))
        let writer = try LogWriter(on: store)
        let number = try #require(writer.groups[ServerFixture.group]).number
        writer.add([.follow(ServerFixture.group, for: nil)])
        var author = Author(1)
        let uploads = [try author.write(2), try author.write(3)]
        func merge(_ upload: Int) -> [WriterOutcome] {
            writer.batches([
                .merge(uploads[upload], ServerFixture.group, by: ServerFixture.member, from: ConnectionID(1))
            ]).flatMap { $0 }
        }
        // The writer's thread makes this request once a second.
        func look() -> [WriterOutcome] { writer.batches([.news(StoreNews(), for: nil)]).flatMap { $0 } }
        // On a busy machine, this commit may be too slow as well, so it is repeated.
        while merge(0).compactMap(\.ack).map(\.seq) != [2] {}
        #expect(try news(other, at: 0) == StoreNews(logs: [number]))
        try holdCommits()
        // On a slow machine the answer is lost before the commit begins. Then nothing is stored, and the
        // upload is repeated.
        repeat {
            #expect(merge(1).compactMap(\.ack).map(\.seq) == [2])
            while try writer.lacksNews && !isHeld() { _ = look() }
        } while !writer.lacksNews
        for _ in 0..<3 {
            #expect(look().allSatisfy { $0.push == nil } && writer.lacksNews)
            #expect(try news(other, at: 1).isEmpty)
        }
        // Other servers stop waiting for the commit's number.
        var heard = StoreNews()
        var time: SharedInstant = 5
        while heard.isEmpty {
            let sighting = Sighting(time: time, connectedSince: 5)
            _ = writer.batches([.note([ServerFixture.member: sighting], greatestServed: 0)])
            heard = try news(other, at: 2)
            time = time + .seconds(1)
        }
        #expect(heard == StoreNews(rosters: [number]))
        _ = try administrator.rows("UPDATE news SET written = written - interval '61 s'")
        #expect(try news(other, at: 63) == StoreNews(isAll: true))
        if !isKept {
            _ = try administrator.rows("SELECT pg_terminate_backend(pid) \(TroubledDatabaseTests.held)")
        }
        _ = try administrator.rows("SELECT pg_advisory_unlock(7)")
        var pushed: [UInt64] = []
        while writer.lacksNews { pushed += look().compactMap(\.push?.lastSeq) }
        #expect(pushed == (isKept ? [5] : []))
        #expect(try news(other, at: 64) == StoreNews(logs: isKept ? [number] : []))
        var again: [WriterOutcome] = []
        repeat { again += look() + merge(1) } while again.compactMap(\.ack).last?.seq != 5
        #expect(again.compactMap(\.push?.lastSeq) == (isKept ? [] : [5]))
        let reader = try PostgreSQLServerStore(at: address, access: .existing)
        #expect(try reader.read { try $0.logs() } == writer.groups)
        #expect(try news(other, at: 65) == StoreNews(logs: isKept ? [] : [number]))
        // A reader that begins now finds no number missing.
        let late = try NewsReader(at: address, place: "late", now: .zero)
        #expect(try news(late, at: 0).isEmpty && news(late, at: 61).isEmpty)
    }

    @Test("events that no server has announced are announced by the server that gets them again")
    func broughtAgain() throws {
        let (one, other) = (
            try NewsReader(at: address, place: "one", now: .zero),
            try NewsReader(at: address, place: "other", now: .zero)
        )
        let store = try PostgreSQLServerStore(at: address, access: .existing, server: one.server)
        let writer = try LogWriter(on: store)
        let number = try #require(writer.groups[ServerFixture.group]).number
        writer.add([.follow(ServerFixture.group, for: nil)])
        // This server ended before it could tell others of its events, which are in the store.
        let gone = try LogWriter(on: PostgreSQLServerStore(at: address, access: .existing))
        gone.add([.follow(ServerFixture.group, for: nil)])
        var author = Author(1)
        let merge = WriterRequest.merge(
            try author.write(2), ServerFixture.group, by: ServerFixture.member, from: ConnectionID(1))
        #expect(gone.batches([merge]).flatMap { $0 }.compactMap(\.ack).map(\.seq) == [2])
        #expect(try news(other, at: 1).isEmpty)
        let outcomes = writer.batches([merge]).flatMap { $0 }
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [2])
        #expect(outcomes.compactMap(\.push?.lastSeq) == [2])
        #expect(try news(other, at: 2) == StoreNews(logs: [number]))
        let rows = try administrator.rows("SELECT count(*)::bigint FROM segments")
        #expect(rows.first?[0] as Int64? == 1)
    }
}
