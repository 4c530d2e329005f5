/// A failure of a statement or of the connection to PostgreSQL. It never holds a value, because values may be
/// keys or a password.
public struct PostgreSQLError: Error, Hashable, Sendable {
    /// The kinds of failures.
    public enum Kind: Hashable, Sendable {
        /// libpq isn't installed.
        case noLibrary
        /// The address can't be parsed.
        case address
        /// No connection could be made.
        case unreachable
        /// The connection broke; its open transaction is rolled back.
        case lost
        /// The connection broke, or the database didn't answer in time, during a commit: the transaction may
        /// be committed or not.
        case unknownCommit
        /// A pooler lets other connections use the same database session, so no session state outlasts a
        /// transaction.
        case sharedSession
        /// The database refused a statement.
        case refused(SQLState)
        /// The program called in a way that isn't allowed.
        case misuse
    }

    /// The kind of failure.
    package let kind: Kind
    /// A description by the database, by libpq or by this module.
    package let message: String
    /// The text of the statement that failed, without the values of its parameters; nil if no statement
    /// failed.
    package let sql: String?

    /// An error of this kind.
    ///
    /// - Parameter sql: The statement's text, without the values of its parameters.
    package init(_ kind: Kind, _ message: String, sql: String? = nil) {
        self.kind = kind
        self.message = message
        self.sql = sql
    }

    /// The state of a refused statement; nil for another kind of failure.
    package var state: SQLState? { if case .refused(let state) = kind { state } else { nil } }

    /// Whether there is no room on the database's disk.
    package var isOutOfSpace: Bool { state == .diskFull }

    /// Whether a retry may succeed in a moment: others were in the way, or the connection broke.
    package var isTransient: Bool {
        switch kind {
        case .unreachable, .lost, .unknownCommit: true
        case .refused(let state):
            state.isContention || [.tooManyConnections, .readOnly, .cannotConnectNow].contains(state)
                || state.isShutdown
        case .noLibrary, .address, .sharedSession, .misuse: false
        }
    }
}

extension PostgreSQLError: CustomStringConvertible {
    public var description: String {
        let cause = "PostgreSQL: \(message)" + (state.map { " (\($0.code))" } ?? "")
        return sql.map { "\(cause) in: \($0)" } ?? cause
    }
}

/// PostgreSQL's code for a failure: five characters, each a digit or a capital letter
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
public struct SQLState: Hashable, Sendable {
    /// The five characters; the first two are the class.
    package let code: String

    /// The state with this code, which PostgreSQL need not know.
    package init(_ code: String) { self.code = code }

    /// Whether the code belongs to a class.
    private func isOf(_ kind: String) -> Bool { code.hasPrefix(kind) }

    /// Whether a value is invalid, or contradicts another value or a row.
    package var isContradiction: Bool { isOf("23") || isOf("22") }

    /// Whether stored rows are damaged.
    package var isDamage: Bool { isOf("XX") }

    /// Whether another transaction was in the way.
    package var isContention: Bool {
        isOf("40") || self == .lockNotAvailable || self == .queryCanceled
    }

    /// Whether the statement waited too long for a lock, or was part of a deadlock. The transaction can roll
    /// back to a savepoint and continue.
    package var isLock: Bool { self == .lockNotAvailable || code == "40P01" }

    /// Whether a prepared statement exists that this session didn't prepare, or one that it prepared is
    /// missing.
    var isOfAnotherSession: Bool { code == "42P05" || code == "26000" }

    /// Whether the database is stopping or starting.
    package var isShutdown: Bool { isOf("57P") }

    /// There is no room left on the disk.
    package static let diskFull = SQLState("53100")
    /// The database has too many connections.
    package static let tooManyConnections = SQLState("53300")
    /// A write in a read-only transaction or on a standby.
    package static let readOnly = SQLState("25006")
    /// The wait for a lock took too long.
    package static let lockNotAvailable = SQLState("55P03")
    /// A statement took too long, or was cancelled.
    package static let queryCanceled = SQLState("57014")
    /// The database is starting, stopping or recovering.
    package static let cannotConnectNow = SQLState("57P03")
    /// A row with this key exists already.
    package static let uniqueViolation = SQLState("23505")
    /// The table doesn't exist.
    package static let undefinedTable = SQLState("42P01")
}
