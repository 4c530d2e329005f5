import CSQLite

/// A failure that SQLite reports. It never holds a bound value, because values may be keys or labels.
public struct SQLiteError: Error, Hashable, Sendable {
    /// The extended code; its `primary` is the kind of failure.
    package let extendedCode: ResultCode
    /// SQLite's description of the failure.
    package let message: String
    /// The text of the statement that failed, without the values of its parameters; nil if no statement
    /// failed.
    package let sql: String?

    /// An error with this code, and with SQLite's own description of it if `message` is nil.
    ///
    /// - Parameter sql: The statement's text, without the values of its parameters.
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

    /// Whether the disk has no room for the database file or for the files that SQLite keeps beside it.
    package var isOutOfSpace: Bool { code == .full || extendedCode == .sharedMemorySize }

    /// Whether the file can't be locked because its file system has no locks, or no service for them.
    package var isLockingUnsupported: Bool { extendedCode == .lock }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let cause = "SQLite: \(message) (code \(extendedCode.rawValue))"
        return sql.map { "\(cause) in: \($0)" } ?? cause
    }
}

/// A failure of a connection.
package enum DatabaseFailure: Error, Hashable, Sendable {
    /// SQLite reported it.
    case sqlite(SQLiteError)
    /// The program can't use the file.
    case schema(SchemaError)
    /// The file wasn't migrated.
    case upgrade(UpgradeError)
}

/// A result code of SQLite: a primary code, or an extended one with more detail
/// (<https://sqlite.org/rescode.html>).
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// SQLite's number: the primary code in the lowest 8 bits, and the detail of an extended code above them.
    public let rawValue: Int32

    /// The code with this number, which SQLite need not know.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without the detail of an extended one.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Whether the codes are equal, or `pattern` is the primary code of `code`.
    package static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }
}

extension ResultCode {
    /// A failure that no other code describes: mostly a mistake in the SQL.
    package static let error = ResultCode(rawValue: SQLITE_ERROR)
    /// The file can't be created with the requested access.
    package static let permission = ResultCode(rawValue: SQLITE_PERM)
    /// Another connection held a lock for longer than the busy timeout.
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    /// Another connection's locks are in the way, and retries for some seconds didn't help.
    package static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
    /// Another statement of the same connection is in the way.
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    /// There is no memory left.
    package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    /// A write to a file or on a connection that only allows reading.
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    /// The system failed to read or write a file; the extended code names the operation.
    package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    /// The file is damaged.
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    /// There is no room left, on the disk or in the file.
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    /// The file, or one that SQLite keeps beside it, can't be opened.
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    /// A text, a blob or a statement is longer than SQLite allows.
    package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    /// A constraint of a table forbids the change; the extended code names its kind.
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    /// A value has a type that isn't allowed there, such as a row number that is no integer.
    package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    /// A call that SQLite doesn't allow: a mistake of the program.
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    /// A value for a parameter that the statement doesn't have, or a parameter without a value.
    package static let range = ResultCode(rawValue: SQLITE_RANGE)
    /// The file is no SQLite database.
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}

extension ResultCode {
    /// The row's primary key exists already.
    package static let constraintPrimaryKey = ResultCode(rawValue: SQLITE_CONSTRAINT | (6 << 8))
    /// Another row has the same value in a unique column.
    package static let constraintUnique = ResultCode(rawValue: SQLITE_CONSTRAINT | (8 << 8))
    /// The shared-memory file that a write-ahead log needs can't be made large enough.
    package static let sharedMemorySize = ResultCode(rawValue: SQLITE_IOERR | (19 << 8))
    /// The file ends before the last byte to read.
    package static let shortRead = ResultCode(rawValue: SQLITE_IOERR | (2 << 8))
    /// The file can't be locked, for a reason other than another process's lock.
    package static let lock = ResultCode(rawValue: SQLITE_IOERR | (15 << 8))
    /// The transaction can't write because what it read is no longer the newest.
    package static let busySnapshot = ResultCode(rawValue: SQLITE_BUSY | (2 << 8))
}
