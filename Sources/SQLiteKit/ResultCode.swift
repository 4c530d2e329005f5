import CSQLite

/// What SQLite answers: a primary code, or an extended one that says more (<https://sqlite.org/rescode.html>).
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without what an extended one adds.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Matches a code, and where the pattern is a primary code, every extended one of it.
    package static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }
}

extension ResultCode {
    package static let ok = ResultCode(rawValue: SQLITE_OK)
    package static let error = ResultCode(rawValue: SQLITE_ERROR)
    package static let permission = ResultCode(rawValue: SQLITE_PERM)
    /// Another connection held a lock for longer than the busy timeout.
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    /// Another connection held locks in a way that this one tried for some seconds to get around, and couldn't.
    package static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let schemaChanged = ResultCode(rawValue: SQLITE_SCHEMA)
    package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    /// A parameter that the statement doesn't have, or has and was given no value for.
    package static let range = ResultCode(rawValue: SQLITE_RANGE)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
    package static let row = ResultCode(rawValue: SQLITE_ROW)
    package static let done = ResultCode(rawValue: SQLITE_DONE)
}

extension ResultCode {
    /// The row's primary key is there already.
    package static let constraintPrimaryKey = ResultCode(rawValue: SQLITE_CONSTRAINT | (6 << 8))
    /// A unique column has the value already.
    package static let constraintUnique = ResultCode(rawValue: SQLITE_CONSTRAINT | (8 << 8))
    /// The file that a write-ahead log needs beside it can't be made so large.
    package static let sharedMemorySize = ResultCode(rawValue: SQLITE_IOERR | (19 << 8))
    /// What was read in this transaction is no longer the newest, so the transaction can't write.
    package static let busySnapshot = ResultCode(rawValue: SQLITE_BUSY | (2 << 8))
}
