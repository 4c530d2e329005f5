import CSQLite

/// What SQLite refused or could not do. It never holds a bound value: those may be keys or labels.
package struct SQLiteError: Error, Hashable, Sendable {
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

    /// Whether the file is damaged or no SQLite database at all: nothing the program does will mend it.
    package var isCorruption: Bool { code == .corrupt || code == .notADatabase }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        let cause = "SQLite: \(message) (code \(extendedCode.rawValue))"
        return sql.map { "\(cause) in: \($0)" } ?? cause
    }
}
