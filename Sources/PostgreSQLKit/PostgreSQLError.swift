/// What PostgreSQL refused, or why it can't be asked. It never holds a value: those may be keys, and a password is one too.
public struct PostgreSQLError: Error, Hashable, Sendable {
    /// What kind of trouble it is.
    public enum Kind: Hashable, Sendable {
        /// libpq isn't installed.
        case noLibrary
        /// The address can't be understood.
        case address
        /// No connection could be made.
        case unreachable
        /// The connection broke, so that whatever was under way in a transaction is undone.
        case lost
        /// The connection broke, or the database didn't answer in time, while a transaction was to be committed: nobody knows
        /// whether it was.
        case unknownCommit
        /// Whoever stands between has other connections use the same session of the database's: nothing that has to last
        /// beyond a transaction does.
        case sharedSession
        /// A statement was refused.
        case refused(SQLState)
        /// The program asked for something in a way that isn't allowed.
        case misuse
    }

    /// What kind of trouble it is.
    package let kind: Kind
    /// In the database's words, or the library's.
    package let message: String
    /// The statement's text with its parameters unfilled, where a statement failed.
    package let sql: String?

    /// An error of this kind.
    ///
    /// - Parameter sql: the statement's text, in which no value has been filled in.
    package init(_ kind: Kind, _ message: String, sql: String? = nil) {
        self.kind = kind
        self.message = message
        self.sql = sql
    }

    /// The state that a refused statement came with; nil where none was refused.
    package var state: SQLState? { if case .refused(let state) = kind { state } else { nil } }

    /// Whether there is no room on the database's disk.
    package var isForLackOfRoom: Bool { state == .diskFull }

    /// Whether the same may well work in a moment: others stood in the way, or the connection broke.
    package var isPassing: Bool {
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

/// What PostgreSQL says of a refusal: five digits and capitals
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
public struct SQLState: Hashable, Sendable {
    /// The five characters; the first two are the class.
    package let code: String

    /// The state of this code, whether PostgreSQL has one or not.
    package init(_ code: String) { self.code = code }

    /// Whether it is of a class.
    private func isOf(_ kind: String) -> Bool { code.hasPrefix(kind) }

    /// Whether the values contradict each other or a row that is there.
    package var isContradiction: Bool { isOf("23") || isOf("22") }

    /// Whether the rows themselves are damaged.
    package var isDamage: Bool { isOf("XX") }

    /// Whether another transaction stood in the way.
    package var isContention: Bool {
        isOf("40") || self == .lockNotAvailable || self == .queryCanceled
    }

    /// Whether another transaction held for too long what was to be locked, or waited for what this one holds. What was done
    /// since a savepoint can be taken back, and the rest goes on.
    package var isLock: Bool { self == .lockNotAvailable || code == "40P01" }

    /// Whether a prepared statement is there that wasn't prepared, or isn't that was.
    var isOfAnotherSession: Bool { code == "42P05" || code == "26000" }

    /// Whether the database is about to stop, or to start.
    package var isShutdown: Bool { isOf("57P") }

    /// There is no room left on the disk.
    package static let diskFull = SQLState("53100")
    /// Nobody else may connect.
    package static let tooManyConnections = SQLState("53300")
    /// A transaction that only reads, or a standby, can't write.
    package static let readOnly = SQLState("25006")
    /// It waited for a lock for too long.
    package static let lockNotAvailable = SQLState("55P03")
    /// A statement took too long, or somebody broke it off.
    package static let queryCanceled = SQLState("57014")
    /// The database starts, stops, or recovers.
    package static let cannotConnectNow = SQLState("57P03")
    /// A row with this key is there already.
    package static let uniqueViolation = SQLState("23505")
    /// There is no such table.
    package static let undefinedTable = SQLState("42P01")
}
