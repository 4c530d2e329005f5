import SQLiteKit
import TestSupport
import Testing

@Suite struct TransactionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Refusal: Error {}

    private func counting() throws -> Database {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.migrate(
            to: Schema(applicationID: 1, migrations: ["CREATE TABLE a (x INTEGER PRIMARY KEY) STRICT"]))
        return database
    }

    private func count(_ database: borrowing Database) throws -> Int {
        try database.first("SELECT count(*) FROM a", read: { $0[0] }) ?? -1
    }

    @Test("a body that throws leaves nothing behind, and its error comes through") func rollback() throws {
        let database = try counting()
        #expect(throws: Refusal.self) {
            try database.transaction(.immediate) {
                try database.run("INSERT INTO a VALUES (1)")
                let isInside = database.isInTransaction
                #expect(isInside)
                throw Refusal()
            }
        }
        let isInside = database.isInTransaction
        #expect(!isInside)
        #expect(try count(database) == 0)
        let answer = try database.transaction(.immediate) {
            try database.run("INSERT INTO a VALUES (1)")
            return 7
        }
        #expect(answer == 7)
        #expect(try count(database) == 1)
    }

    private struct ResultCodeError: Error, Equatable {
        let code: ResultCode
    }

    private enum Trouble: Error, Equatable {
        case database(ResultCode)
        case refused
    }

    @Test("a connection throws its own kind of error, and a transaction that of its body")
    func ownErrors() throws {
        let database = try DatabaseConnection<ResultCodeError>(
            path: folder.file(), on: .machine, access: .readWriteCreate
        ) { failure in
            guard case .sqlite(let error) = failure else { return ResultCodeError(code: .misuse) }
            return ResultCodeError(code: error.code)
        }
        try database.execute("CREATE TABLE a (x INTEGER PRIMARY KEY) STRICT")
        #expect(throws: ResultCodeError(code: .constraint)) {
            for _ in 1...2 { try database.run("INSERT INTO a VALUES (?)", 1) }
        }
        #expect(throws: Trouble.refused) { try change(database) { () throws(Trouble) in throw .refused } }
        #expect(throws: Trouble.database(.error)) {
            try change(database) { () throws(Trouble) in try change(database) { () throws(Trouble) in } }
        }
    }

    private func change(
        _ database: borrowing DatabaseConnection<ResultCodeError>, _ body: () throws(Trouble) -> Void
    ) throws(Trouble) {
        try database.transaction(.immediate, failing: { .database($0.code) }, body)
    }

    @Test("who waits for a lock longer than the busy timeout is told busy") func busy() throws {
        let holder = try counting()
        let waiter = try Database(path: folder.file(), access: .readWrite, busyTimeout: 1)
        try holder.transaction(.immediate) {
            _ = #expect {
                try waiter.transaction(.immediate) {}
            } throws: { ($0 as? SQLiteError)?.code == .busy }
        }
        try waiter.transaction(.immediate) { try waiter.run("INSERT INTO a VALUES (1)") }
        #expect(try count(holder) == 1)
    }

    @Test("a transaction that only reads sees one moment") func snapshot() throws {
        let reader = try counting()
        let writer = try Database(path: folder.file(), access: .readWrite)
        try reader.transaction(.deferred) {
            #expect(try count(reader) == 0)
            try writer.run("INSERT INTO a VALUES (1)")
            #expect(try count(reader) == 0)
        }
        #expect(try count(reader) == 1)
    }

    @Test("a part that fails is as if it had never been, and the rest of the transaction stays")
    func parts() throws {
        let database = try counting()
        try database.transaction(.immediate) {
            try database.savepoint { try database.run("INSERT INTO a VALUES (1)") }
            var failures: [String] = []
            do {
                try database.savepoint {
                    try database.run("INSERT INTO a VALUES (2)")
                    throw Refusal()
                }
            } catch { failures.append("\(type(of: error))") }
            do {
                try database.savepoint {
                    try database.run("INSERT INTO a VALUES (3)")
                    try database.run("INSERT INTO a VALUES (1)")
                }
            } catch { failures.append("\(type(of: error))") }
            #expect(failures == ["Refusal", "SQLiteError"])
            let isInTransaction = database.isInTransaction
            #expect(isInTransaction)
            try database.savepoint { try database.run("INSERT INTO a VALUES (4)") }
        }
        var numbers: [Int64] = []
        try database.forEach("SELECT x FROM a ORDER BY x") { numbers.append($0[0]) }
        #expect(numbers == [1, 4])
    }
}
