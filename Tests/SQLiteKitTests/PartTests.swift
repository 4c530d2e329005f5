import SQLiteKit
import TestSupport
import Testing

/// Parts of a transaction, each of which can fail without the others.
@Suite struct PartTests {
    private struct Failure: Error {}

    private func numbers(_ database: borrowing Database) throws -> [Int64] {
        var numbers: [Int64] = []
        try database.forEach("SELECT number FROM numbers ORDER BY number") { numbers.append($0[0]) }
        return numbers
    }

    @Test("a part that fails is as if it had never been, and the rest of the transaction stays") func parts()
        throws
    {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
        try database.transaction(.immediate) {
            try database.part { try database.run("INSERT INTO numbers VALUES (1)") }
            var failures: [String] = []
            do {
                try database.part {
                    try database.run("INSERT INTO numbers VALUES (2)")
                    throw Failure()
                }
            } catch {
                failures.append("\(type(of: error))")
            }
            do {
                try database.part {
                    try database.run("INSERT INTO numbers VALUES (3)")
                    try database.run("INSERT INTO numbers VALUES (1)")
                }
            } catch {
                failures.append("\(type(of: error))")
            }
            #expect(failures == ["Failure", "SQLiteError"])
            let isInTransaction = database.isInTransaction
            #expect(isInTransaction)
            try database.part { try database.run("INSERT INTO numbers VALUES (4)") }
        }
        #expect(try numbers(database) == [1, 4])
    }
}
