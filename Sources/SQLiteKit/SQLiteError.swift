import CSQLite

/// What SQLite refused or could not do. It never holds a bound value: those may be keys or labels.
public struct SQLiteError: Error, Hashable, Sendable {
    /// The extended code; its `primary` says the kind.
    package let extendedCode: ResultCode
    /// SQLite's words for it.
    package let message: String
    /// The statement's text with its parameters unfilled, where a statement failed.
    package let sql: String?

    /// An error of this code, in SQLite's own words for it where there is no message.
    ///
    /// - Parameter sql: The statement's text, in which no value has been filled in.
    package init(code: ResultCode, message: String? = nil, sql: String? = nil) {
        extendedCode = code
        self.message = message ?? String(cString: sqlite3_errstr(code.rawValue))
        self.sql = sql
    }

    /// The last error of a connection.
    init(database handle: OpaquePointer?, sql: String? = nil) {
        self.init(
            code: ResultCode(rawValue: sqlite3_extended_errcode(handle)),
            message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    /// The primary code.
    package var code: ResultCode { extendedCode.primary }

    /// Whether there is no room on the disk: for the file, or for what SQLite keeps beside it.
    package var isForLackOfRoom: Bool { code == .full || extendedCode == .sharedMemorySize }

    /// Whether the file can't be locked: its file system has no locks, or no service for them.
    package var isForLackOfLocks: Bool { extendedCode == .lock }

    /// Whether the file is damaged or no SQLite database at all: nothing the program does will mend it.
    package var isCorruption: Bool { code == .corrupt || code == .notADatabase }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let cause = "SQLite: \(message) (code \(extendedCode.rawValue))"
        return sql.map { "\(cause) in: \($0)" } ?? cause
    }
}

/// What SQLite answers: a primary code, or an extended one that says more (<https://sqlite.org/rescode.html>).
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// SQLite's number: the primary code in the lowest 8 bits, and above them what an extended one adds.
    public let rawValue: Int32

    /// The code of this number, whether SQLite has one or not.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without what an extended one adds.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Matches a code, and where the pattern is a primary code, every extended one of it.
    package static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }
}

extension ResultCode {
    /// All went well.
    package static let ok = ResultCode(rawValue: SQLITE_OK)
    /// What no other code is for: mostly a mistake in the SQL.
    package static let error = ResultCode(rawValue: SQLITE_ERROR)
    /// The file can't be made with the access that was asked for.
    package static let permission = ResultCode(rawValue: SQLITE_PERM)
    /// Another connection held a lock for longer than the busy timeout.
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    /// Another connection held locks in a way that this one tried for some seconds to get around, and couldn't.
    package static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
    /// Another statement of the same connection stands in the way.
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    /// There is no memory left.
    package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    /// Something was to be written, and the file or this connection only allows reading.
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    /// The statement was told to stop.
    package static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    /// The system failed to read or write a file; the extended code says at what.
    package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    /// The file is damaged.
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    /// There is no room left, on the disk or in the file.
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    /// The file, or one that SQLite keeps beside it, can't be opened.
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    /// The tables have changed since the statement was prepared, and preparing it anew didn't help.
    package static let schemaChanged = ResultCode(rawValue: SQLITE_SCHEMA)
    /// A text, a blob or a statement is longer than SQLite takes.
    package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    /// A constraint of a table doesn't allow it; the extended code says of which kind.
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    /// A value is of a type that can't be there, such as a row's number that is no integer.
    package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    /// SQLite was called in a way that isn't allowed: a mistake of the program.
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    /// A parameter that the statement doesn't have, or has and was given no value for.
    package static let range = ResultCode(rawValue: SQLITE_RANGE)
    /// The file isn't one of SQLite's.
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
    /// A step has come to a row. No error.
    package static let row = ResultCode(rawValue: SQLITE_ROW)
    /// A statement has come to its end. No error.
    package static let done = ResultCode(rawValue: SQLITE_DONE)
}

extension ResultCode {
    /// The row's primary key is there already.
    package static let constraintPrimaryKey = ResultCode(rawValue: SQLITE_CONSTRAINT | (6 << 8))
    /// A unique column has the value already.
    package static let constraintUnique = ResultCode(rawValue: SQLITE_CONSTRAINT | (8 << 8))
    /// The file that a write-ahead log needs beside it can't be made so large.
    package static let sharedMemorySize = ResultCode(rawValue: SQLITE_IOERR | (19 << 8))
    /// The file ends before what was to be read.
    package static let shortRead = ResultCode(rawValue: SQLITE_IOERR | (2 << 8))
    /// The file can't be locked, and not because another process has locked it.
    package static let lock = ResultCode(rawValue: SQLITE_IOERR | (15 << 8))
    /// What was read in this transaction is no longer the newest, so the transaction can't write.
    package static let busySnapshot = ResultCode(rawValue: SQLITE_BUSY | (2 << 8))
}
