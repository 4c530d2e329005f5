import PostgreSQLKit
import ServerSupport
import TestTraits
import Testing

@Suite("Connections to PostgreSQL", .ends(within: .seconds(120)))
struct PostgreSQLConnectionTests {
    private let address: PostgreSQLAddress
    private let connection: PostgreSQLConnection

    init() throws {
        address = try TestPostgreSQL.running.makeDatabase()
        connection = try PostgreSQLConnection(to: address)
    }

    private func state(of body: () throws -> Void) -> String? {
        do {
            try body()
        } catch {
            return (error as? PostgreSQLError)?.state?.code
        }
        return nil
    }

    @Test("values come back as they were sent")
    func values() throws {
        let row = try #require(
            try connection.rows(
                "SELECT $1, $2, $3, $4, $5, $6, $7", Int64.min, UInt64.max, true, "ä\n", [0, 255] as [UInt8],
                [] as [UInt8], nil as String?
            ).first)
        #expect(row[0] == Int64.min && row[1] == UInt64.max && row[2] == true && row[3] == "ä\n")
        #expect(row[4] == [0, 255] as [UInt8] && row[5] == [] as [UInt8]? && row[6] == nil as String?)
        #expect(row[7] == nil as Int64?)
        let short = try #require(try connection.rows("SELECT -1::smallint, 7::int").first)
        #expect(short[0] == -1 && short[1] == 7)
    }

    @Test("any count of numbers comes back in one value, in their order")
    func numbers() throws {
        for values in [[], [7], [Int64.min, -1, 0, Int64.max]] as [[Int64]] {
            let row = try #require(
                try connection.rows(
                    "SELECT $1, NULL::bigint[], cardinality($1)", PostgreSQLBigintArray(values)
                )
                .first)
            #expect(row[0] == PostgreSQLBigintArray(values) && row[1] == PostgreSQLBigintArray([]))
            #expect(row[2] == values.count)
        }
    }

    @Test(
        "an array of two dimensions, another type or another first index, or with a NULL, is read as no numbers",
        arguments: [
            "'{{1},{2}}'::bigint[]", "'{1,2}'::int[]", "'{NULL,1}'::bigint[]", "'[2:3]={1,2}'::bigint[]",
        ])
    func otherArrays(array: String) throws {
        let row = try #require(try connection.rows("SELECT \(array)").first)
        #expect(row[0] == PostgreSQLBigintArray([]))
    }

    @Test("what is told on a channel comes to all who listen there, once, and from whoever tells it")
    func notices() throws {
        let other = try PostgreSQLConnection(to: address)
        try connection.listen(to: "news")
        other.tell("elsewhere", on: "others")
        other.tell("one", on: "news")
        connection.tell("two", on: "news")
        var heard: [String] = []
        while heard.count < 2 {
            _ = try connection.rows("SELECT 1")
            heard += connection.takeNotices()
        }
        #expect(heard.sorted() == ["one", "two"])
        _ = try connection.rows("SELECT 1")
        #expect(connection.takeNotices() == [])
    }

    @Test("that something couldn't be told is nobody's trouble")
    func untold() throws {
        connection.tell(String(repeating: "a", count: 8_000), on: "news")
        #expect(try connection.rows("SELECT 1").first?[0] == 1)
        try connection.begin(.writing)
        try connection.send("CREATE TABLE numbers (number bigint)")
        try connection.commit()
    }

    @Test("what is sent one behind the other is all there once something is waited for")
    func pipelined() throws {
        _ = try connection.rows("CREATE TABLE numbers (number bigint PRIMARY KEY)")
        try connection.begin(.writing)
        for number in 0..<500 { try connection.send("INSERT INTO numbers VALUES ($1)", number) }
        #expect(try connection.rows("SELECT count(*) FROM numbers").first?[0] == 500)
        try connection.commit()
        #expect(try PostgreSQLConnection(to: address).rows("SELECT count(*) FROM numbers").first?[0] == 500)
    }

    @Test(
        "a statement that fails is told of by who waits, with its text and without its values, and undoes the rest"
    )
    func failing() throws {
        _ = try connection.rows("CREATE TABLE numbers (number bigint PRIMARY KEY)")
        try connection.begin(.writing)
        for _ in 0..<2 { try connection.send("INSERT INTO numbers VALUES ($1)", 7_777) }
        try connection.send("INSERT INTO numbers VALUES ($1 + 1)", 1)
        let error = #expect(throws: PostgreSQLError.self) { try connection.wait() }
        #expect(error?.state == .uniqueViolation && error?.sql == "INSERT INTO numbers VALUES ($1)")
        #expect(error.map { !"\($0)".contains("7777") } == true)
        #expect(!connection.isInTransaction)
        // The commit of a failed transaction fails, although the database answers.
        #expect(throws: PostgreSQLError.self) { try connection.commit() }
        connection.rollBack()
        #expect(try connection.rows("SELECT count(*) FROM numbers").first?[0] == 0)
        // A statement that was skipped, and so wasn't prepared, can be sent again.
        _ = try connection.rows("INSERT INTO numbers VALUES ($1 + 1)", 1)
    }

    @Test("a check that isn't met is told of as if the statement had failed")
    func checked() throws {
        struct Unmet: Error {}
        try connection.send("SELECT 1 WHERE false") { if $0.count == 0 { throw Unmet() } }
        #expect(throws: Unmet.self) { try connection.wait() }
        #expect(try connection.rows("SELECT 1").count == 1)
    }

    @Test("a connection whose other end was ended is lost, and says so without being asked")
    func ended() throws {
        let process: Int64 = try #require(try connection.rows("SELECT pg_backend_pid()").first)[0]
        try connection.begin(.writing)
        try connection.wait()
        let other = try PostgreSQLConnection(to: address)
        _ = try other.rows("SELECT pg_terminate_backend($1::int, 10000)", process)
        #expect(!connection.isAlive())
        #expect(!connection.isInTransaction)
        let error = #expect(throws: PostgreSQLError.self) { _ = try connection.rows("SELECT 1") }
        #expect(error?.kind == .lost && error?.isTransient == true)
    }

    @Test("a commit whose connection ends before its answer is neither done nor undone")
    func unknown() throws {
        _ = try connection.rows("CREATE TABLE numbers (number bigint)")
        // The database ends the connection during the commit.
        _ = try connection.rows(
            """
            CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END'
            """)
        _ = try connection.rows(
            """
            CREATE CONSTRAINT TRIGGER dying AFTER INSERT ON numbers DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION die()
            """)
        try connection.begin(.writing)
        try connection.send("INSERT INTO numbers VALUES (1)")
        let error = #expect(throws: PostgreSQLError.self) { try connection.commit() }
        #expect(
            error?.kind == .unknownCommit || error?.state?.isShutdown == true, "\(String(describing: error))")
        #expect(error?.isTransient == true)
    }

    @Test("a database that doesn't answer is given up")
    func silent() throws {
        let hasty = try PostgreSQLConnection(to: address, patience: .milliseconds(50))
        let error = #expect(throws: PostgreSQLError.self) { _ = try hasty.rows("SELECT pg_sleep(60)") }
        #expect(error?.kind == .lost && hasty.isLost)
    }

    @Test("states say whose trouble it is")
    func states() throws {
        #expect(state { _ = try connection.rows("SELECT 1 / $1", 0) } == "22012")
        try connection.begin(.snapshot)
        let state = state { _ = try connection.rows("CREATE TABLE any_table ()") }
        #expect(state == SQLState.readOnly.code)
        connection.rollBack()
        #expect(SQLState("40P01").isContention && SQLState("40001").isContention)
        #expect(PostgreSQLError(.refused(.diskFull), "").isOutOfSpace)
        #expect(PostgreSQLError(.refused(SQLState("57P01")), "").isTransient)
    }

    @Test("a database that isn't there can't be reached, and the reason is a clause on one line")
    func unreachable() throws {
        let address = try #require(PostgreSQLAddress("postgresql:///none?host=/nowhere"))
        let error = #expect(throws: PostgreSQLError.self) { _ = try PostgreSQLConnection(to: address) }
        #expect(error?.kind == .unreachable)
        let message = error?.message ?? ""
        #expect(message.contains("/nowhere") && !message.contains("\t"), "\(message)")
        #expect(!message.hasSuffix("?") && !message.hasSuffix("."), "\(message)")
    }
}
