import SQLiteKit
import TestSupport
import Testing

@Suite struct StatementTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func withTable(_ body: (borrowing Database) throws -> Void) throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.execute(
            "CREATE TABLE things (id INTEGER PRIMARY KEY, number INTEGER, name TEXT, bytes BLOB) STRICT")
        try body(database)
    }

    @Test("what is bound is what is read, at the ends of every type's range")
    func roundTrip() throws {
        try withTable { database in
            let insert = "INSERT INTO things VALUES (?, ?, ?, ?)"
            try database.run(insert, Int64.min, UInt64.max, "", [UInt8]())
            try database.run(insert, Int64.max, UInt64(1) << 63, "naïve \u{0} 時", [UInt8](0...255))
            try database.run(insert, 0, Int64?.none, String?.none, [UInt8]?.none)
            var rows: [String] = []
            try database.forEach("SELECT * FROM things ORDER BY id") { row in
                let id: Int64 = row[0]
                let number: UInt64? = row[1]
                let name: String? = row[2]
                let bytes: [UInt8]? = row[3]
                rows.append("\(id) \(number as Any) \(name as Any) \(bytes as Any)")
            }
            #expect(
                rows == [
                    "\(Int64.min) \(UInt64.max as UInt64?  as Any) \("" as String? as Any) \([UInt8]() as [UInt8]? as Any)",
                    "0 nil nil nil",
                    "\(Int64.max) \((UInt64(1) << 63) as UInt64? as Any) \("naïve \u{0} 時" as String? as Any)"
                        + " \([UInt8](0...255) as [UInt8]? as Any)",
                ])
        }
    }

    @Test("a statement takes eleven values, in their order") func elevenValues() throws {
        try withTable { database in
            let numbers = try database.first(
                "SELECT ? || ? || ? || ? || ? || ? || ? || ? || ? || ? || ?", 1, 2, 3, 4, 5, 6, 7, 8, 9, "a",
                "b", read: { $0[0] as String })
            #expect(numbers == "123456789ab")
        }
    }

    @Test("too few values and too many are both refused") func wrongCount() throws {
        try withTable { database in
            #expect { try database.run("INSERT INTO things (id, name) VALUES (?, ?)", 1) } throws: {
                ($0 as? SQLiteError)?.code == .range
            }
            #expect { try database.run("INSERT INTO things (id) VALUES (?)", 1, 2) } throws: {
                ($0 as? SQLiteError)?.code == .range
            }
            let count = try database.first("SELECT count(*) FROM things", read: { $0[0] as Int })
            #expect(count == 0)
        }
    }

    @Test("a value after a missing one is refused, so that none gets another's parameter")
    func missingValue() throws {
        try withTable { database in
            let insert = "INSERT INTO things (id, number) VALUES (?, ?)"
            #expect { try database.run(insert, 1, NoValue(), 2) } throws: {
                ($0 as? SQLiteError)?.code == .range
            }
            #expect { try database.run(insert, NoValue(), NoValue(), 1, "two") } throws: {
                ($0 as? SQLiteError)?.code == .range
            }
            #expect { try database.run(insert, 1, NoValue()) } throws: {
                ($0 as? SQLiteError)?.code == .range
            }
            try database.run(insert, 1, 2, NoValue())
            let count = try database.first("SELECT count(*) FROM things", read: { $0[0] as Int })
            #expect(count == 1)
        }
    }

    @Test("the same text can run within its own rows") func nested() throws {
        try withTable { database in
            for id in 1...3 { try database.run("INSERT INTO things (id) VALUES (?)", id) }
            var pairs = 0
            try database.forEach("SELECT id FROM things") { _ in
                try database.forEach("SELECT id FROM things") { _ in pairs += 1 }
            }
            #expect(pairs == 9)
        }
    }

    @Test("an error tells codes, message and SQL, and never a value") func errors() throws {
        try withTable { database in
            let sql = "INSERT INTO things (id, name) VALUES (?, ?)"
            try database.run(sql, 1, "secret")
            #expect { try database.run(sql, 1, "secret") } throws: { error in
                guard let error = error as? SQLiteError else { return false }
                guard case .constraint = error.code, error.extendedCode == .constraintPrimaryKey else {
                    return false
                }
                return error.sql == sql && !"\(error)".contains("secret") && "\(error)".contains(sql)
            }
            // The statement can be used again.
            try database.run(sql, 2, "secret")
            #expect(database.changes == 1)
        }
    }

    @Test("a text without a statement is refused") func emptyText() throws {
        try withTable { database in
            #expect(throws: SQLiteError.self) { try database.run("-- nothing") }
            #expect(throws: SQLiteError.self) { try database.run("SELEKT 1") }
        }
    }

    @Test("a primary code matches its extended codes, and an extended one only itself")
    func matching() {
        #expect(ResultCode.busy ~= .busySnapshot)
        #expect(!(ResultCode.busySnapshot ~= .busy))
        #expect(ResultCode.constraintUnique.primary == .constraint)
    }
}
