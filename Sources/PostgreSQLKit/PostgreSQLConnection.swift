import CPostgreSQL
import SystemKit

/// A connection to a database, for one thread at a time. It closes when it is deallocated.
///
/// It is always in pipeline mode: statements are sent one after the other, and their results are read at the
/// next wait. So a statement that only writes costs no round trip, and its failure is thrown by the next
/// wait.
package final class PostgreSQLConnection {
    /// A request that was sent. Its results have not been read yet.
    private enum Sent {
        /// The preparation of the statement with this text.
        case prepared(String)
        /// `check` throws if the result is not the expected one.
        case run(String, check: (PostgreSQLRows) throws -> Void)
        /// A statement that may fail without an error.
        case told(String)
        /// The end of a series of statements, after which the database runs them.
        case sync
    }

    let library: lockstep_pq
    let handle: OpaquePointer
    /// Whether the database has warned since `commit` began. libpq's callback sets it.
    private let warnings: UnsafeMutablePointer<lockstep_pq_warnings>
    /// The longest time to wait for an answer; after it the connection counts as lost.
    package var patience: Duration
    /// The sent requests without results so far, in order.
    private var sent: [Sent] = []
    /// The names of the prepared statements, by their texts.
    private var names: [String: String] = [:]
    /// The number of names that were made, including forgotten ones.
    private var namesGiven = 0
    /// Whether the connection is broken for good.
    package private(set) var isLost = false
    /// Sends statements that must go out before any other. Called once, then set to nil. Nil if there are no
    /// such statements.
    package var postponed: (() -> Void)?
    /// Whether errors may arrive later: a statement that may fail was sent or postponed since the last wait.
    package var needsWait: Bool { mayFail || postponed != nil }
    /// Whether a statement that may fail was sent since the last wait.
    private var mayFail = false

    /// Connects to the address. Waits up to 5 s for each of its hosts, unless the address sets
    /// `connect_timeout`.
    ///
    /// - Parameter patience: The longest time to wait for an answer; after it the connection counts as lost.
    /// - Throws: `.noLibrary`, `.address`, `.unreachable`.
    package init(to address: PostgreSQLAddress, patience: Duration = .seconds(30)) throws(PostgreSQLError) {
        library = try lockstep_pq.opened()
        self.patience = patience
        let parameters = try address.parameters(library)
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        let connection = library.PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
        guard let connection else { throw PostgreSQLError(.unreachable, "there is no memory for it") }
        handle = connection
        warnings = .allocate(capacity: 1)
        guard library.PQstatus(handle) == CONNECTION_OK, library.PQsetnonblocking(handle, 1) == 0,
            library.PQenterPipelineMode(handle) == 1
        else {
            let message = PostgreSQLConnection.message(library, handle)
            isLost = true
            throw PostgreSQLError(.unreachable, message)
        }
        lockstep_pq_watch(library, handle, warnings)
    }

    deinit {
        library.PQfinish(handle)
        warnings.deallocate()
    }

    /// Returns libpq's message as a clause: without its hints, which are indented questions, and without a
    /// full stop at the end.
    private static func message(_ library: lockstep_pq, _ handle: OpaquePointer) -> String {
        let text = library.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }
        let clause = lines.joined(separator: "; ")
        return clause.hasSuffix(".") ? String(clause.dropLast()) : clause
    }

    /// Whether a transaction is open and hasn't failed.
    package var isInTransaction: Bool { !isLost && library.PQtransactionStatus(handle) == PQTRANS_INTRANS }

    /// Whether the connection works, as far as that is known without a round trip.
    package func isAlive() -> Bool {
        guard !isLost else { return false }
        var watched = pollfd(fd: library.PQsocket(handle), events: Int16(POLLIN), revents: 0)
        while poll(&watched, 1, 0) > 0 {
            guard library.PQconsumeInput(handle) == 1, library.PQstatus(handle) == CONNECTION_OK else {
                isLost = true
                return false
            }
        }
        return true
    }
}

// MARK: - Sending

extension PostgreSQLConnection {
    /// Sends a statement with `values`, in the order of its parameters, without waiting. If it fails, the
    /// next wait throws its error.
    ///
    /// - Parameters:
    ///   - mayFail: False if the statement can fail only when the connection is lost.
    ///   - check: Throws if the result is not the expected one. The next wait throws that error too.
    package func send<each Value: PostgreSQLValue>(
        _ sql: String, _ values: repeat each Value, mayFail: Bool = true,
        check: @escaping (PostgreSQLRows) throws -> Void = { _ in }
    ) throws(PostgreSQLError) {
        var types: [UInt32] = []
        var bytes: [[UInt8]?] = []
        repeat types.append((each Value).postgreSQLType)
        repeat bytes.append((each values).postgreSQLBytes)
        sendPostponed()
        if mayFail { self.mayFail = true }
        try send(.run(sql, check: check), sql, types, bytes)
    }

    /// Sends the postponed statements, if there are any.
    package func sendPostponed() { exchange(&postponed, with: nil)?() }

    private func send(
        _ item: Sent, _ sql: String, _ types: [UInt32], _ values: [[UInt8]?]
    ) throws(PostgreSQLError) {
        guard !isLost else { throw PostgreSQLError(.lost, "the connection to the database is gone") }
        let name = try prepare(sql, types)
        let buffer = values.flatMap { $0 ?? [] }
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        let isSent = buffer.withUnsafeBytes { buffer in
            // An empty value needs an address too: without one it would be NULL.
            var pointers: [UnsafePointer<CChar>?] = []
            var offset = 0
            let base = buffer.baseAddress ?? UnsafeRawPointer(warnings)
            for value in values {
                pointers.append(value == nil ? nil : (base + offset).assumingMemoryBound(to: CChar.self))
                offset += value?.count ?? 0
            }
            return library.PQsendQueryPrepared(
                handle, name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost() }
        sent.append(item)
    }

    /// Sends a statement without preparing it, so that it leaves nothing in the session, and waits for its
    /// rows.
    func rowsOnce(_ sql: String) throws -> PostgreSQLRows {
        guard !isLost else { throw PostgreSQLError(.lost, "the connection to the database is gone") }
        guard library.PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
        var found: PostgreSQLRows?
        sent.append(.run(sql, check: { found = $0 }))
        try wait()
        guard let found else { throw PostgreSQLError(.misuse, "a statement gave nothing", sql: sql) }
        return found
    }

    /// Sends a statement and ignores its failure.
    func sendIgnoringFailure(_ sql: String, _ values: String...) throws(PostgreSQLError) {
        try send(
            .told(sql), sql, values.map { _ in String.postgreSQLType }, values.map(\.postgreSQLBytes))
    }

    /// Returns the name of the prepared statement with this text. Sends its preparation at the first use.
    private func prepare(_ sql: String, _ types: [UInt32]) throws(PostgreSQLError) -> String {
        if let name = names[sql] { return name }
        namesGiven += 1
        let name = "s\(namesGiven)"
        guard library.PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1 else { throw lost() }
        names[sql] = name
        sent.append(.prepared(sql))
        return name
    }

    /// Records that the connection is lost, and returns the error for it.
    private func lost(sql: String? = nil) -> PostgreSQLError {
        isLost = true
        let message = PostgreSQLConnection.message(library, handle)
        return PostgreSQLError(
            .lost, message.isEmpty ? "the connection to the database broke" : message, sql: sql)
    }
}

// MARK: - Waiting

extension PostgreSQLConnection {
    /// Sends a statement with `values`. Waits for its rows, and for the results of all earlier statements.
    ///
    /// - Throws: The first failure: `PostgreSQLError`, or the error of a check.
    package func rows<each Value: PostgreSQLValue>(
        _ sql: String, _ values: repeat each Value
    ) throws -> PostgreSQLRows {
        var found: PostgreSQLRows?
        try send(sql, repeat each values) { found = $0 }
        try wait()
        guard let found else { throw PostgreSQLError(.misuse, "a statement gave nothing", sql: sql) }
        return found
    }

    /// Makes the database run what was sent, without waiting. The results are read at the next wait.
    package func flush() {
        guard !isLost else { return }
        guard library.PQpipelineSync(handle) == 1 else { return isLost = true }
        sent.append(.sync)
        if library.PQflush(handle) < 0 { isLost = true }
    }

    /// Waits for the results of all statements that were sent.
    ///
    /// - Throws: The first failure: `PostgreSQLError`, or the error of a check.
    package func wait() throws {
        guard !isLost else { throw PostgreSQLError(.lost, "the connection to the database is gone") }
        sendPostponed()
        guard !sent.isEmpty else { return }
        guard library.PQpipelineSync(handle) == 1 else { throw lost() }
        sent.append(.sync)
        mayFail = false
        let limit = ContinuousClock.now + patience
        var failure: (any Error)?
        let taken = exchange(&sent, with: [])
        for (place, item) in taken.enumerated() {
            do {
                try read(item, until: limit)
            } catch let error as PostgreSQLError where error.kind == .lost {
                // The prepared statements are gone with the connection.
                isLost = true
                throw failure ?? error
            } catch {
                failure = failure ?? error
                // After a failure the database skips all statements up to the next sync.
                forget(taken[place...])
            }
        }
        if let failure { throw failure }
    }

    /// Forgets the names of statements that the database skipped up to the next sync and so didn't prepare.
    private func forget(_ passedOver: ArraySlice<Sent>) {
        for item in passedOver {
            switch item {
            case .prepared(let sql): names[sql] = nil
            case .run, .told: break
            case .sync: return
            }
        }
    }

    private func read(_ item: Sent, until limit: ContinuousClock.Instant) throws {
        switch item {
        case .prepared(let sql):
            _ = try result(until: limit, sql: sql).get()
        case .run(let sql, let check):
            try check(result(until: limit, sql: sql).get())
        case .told(let sql): _ = try result(until: limit, sql: sql)
        case .sync:
            guard let end = try next(until: limit) else { throw lost() }
            let isEnd = library.PQresultStatus(end) == PGRES_PIPELINE_SYNC
            library.PQclear(end)
            guard isEnd else { throw lost() }
        }
    }

    /// Returns the result of one statement, or its error.
    private func result(
        until limit: ContinuousClock.Instant, sql: String
    ) throws(PostgreSQLError) -> Result<PostgreSQLRows, PostgreSQLError> {
        guard let result = try next(until: limit) else { throw lost(sql: sql) }
        let rows = PostgreSQLRows(result, of: library)
        let outcome: Result<PostgreSQLRows, PostgreSQLError>
        switch library.PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: outcome = .success(rows)
        case PGRES_PIPELINE_ABORTED:
            outcome = .failure(PostgreSQLError(.misuse, "what came before it failed", sql: sql))
        default:
            let state = SQLState(field(lockstep_pq_state, of: result))
            let message = field(lockstep_pq_message, of: result)
            // Prepared statements have names that only this connection uses. So these states mean that the
            // session is shared.
            let kind = state.isOfAnotherSession ? PostgreSQLError.Kind.sharedSession : .refused(state)
            outcome =
                message.isEmpty && state.code.isEmpty
                ? .failure(lost(sql: sql)) : .failure(PostgreSQLError(kind, message, sql: sql))
        }
        // The results of a statement end with nil.
        while let more = try next(until: limit) { library.PQclear(more) }
        return outcome
    }

    private func field(_ field: lockstep_pq_field, of result: OpaquePointer) -> String {
        library.PQresultErrorField(result, Int32(field.rawValue)).map { String(cString: $0) } ?? ""
    }

    /// Returns the next result, or nil after the last one of a statement.
    private func next(until limit: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer? {
        while true {
            let unsent = library.PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if library.PQisBusy(handle) == 0 { return library.PQgetResult(handle) }
            try awaitSocket(isToWrite: unsent > 0, until: limit)
            guard library.PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    /// Waits until the socket has bytes to read or, if `isToWrite`, room for bytes to write.
    private func awaitSocket(isToWrite: Bool, until limit: ContinuousClock.Instant) throws(PostgreSQLError) {
        let left = limit - ContinuousClock.now
        guard left > .zero else {
            isLost = true
            throw PostgreSQLError(.lost, "the database hasn't answered for \(patience)")
        }
        var watched = pollfd(
            fd: library.PQsocket(handle), events: Int16(isToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
        let (whole, rest) = left.components
        poll(&watched, 1, Int32(clamping: whole * 1_000 + rest / 1_000_000_000_000_000 + 1))
    }
}

// MARK: - Transactions

extension PostgreSQLConnection {
    /// The isolation and purpose of a transaction.
    package enum Mode: String, Sendable {
        /// It only reads, from one snapshot.
        case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        /// It writes. Each of its statements reads what was committed before it; rows are locked one by one.
        case writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    }

    /// Begins a transaction, without waiting.
    package func begin(_ mode: Mode) throws(PostgreSQLError) { try send(mode.rawValue, mayFail: false) }

    /// Ends a transaction that has only read, without waiting.
    package func end() {
        do {
            try send("COMMIT", mayFail: false)
            flush()
        } catch {
            isLost = true
        }
    }

    /// Commits, and waits until the changes are as durable as the database is configured to make them.
    ///
    /// - Throws: `.unknownCommit` if the answer was lost, or if the database warns that it no longer waits
    ///   for its standby: the transaction may be committed or not. With any other error, nothing was
    ///   committed.
    package func commit() throws {
        // An error before the commit must not be taken for a lost answer to it.
        if needsWait { try wait() }
        var command = ""
        warnings.pointee.came = false
        do {
            // A statement timeout would end the wait for a standby, and report the transaction as committed.
            try send("SET LOCAL statement_timeout = 0")
            try send("COMMIT") { command = $0.command }
            try wait()
        } catch let error as PostgreSQLError where error.kind == .lost {
            throw PostgreSQLError(.unknownCommit, error.message)
        }
        guard command == "COMMIT" else {
            throw PostgreSQLError(.misuse, "a transaction that had failed was to be committed")
        }
        guard !warnings.pointee.came else {
            throw PostgreSQLError(.unknownCommit, "the database warned as it committed")
        }
    }

    /// Rolls back the open transaction, unless the connection is lost.
    package func rollBack() {
        guard !isLost else { return }
        do {
            // First reads the results of what was sent before; their failures no longer matter.
            try? wait()
            if !isLost, library.PQtransactionStatus(handle) != PQTRANS_IDLE { _ = try rows("ROLLBACK") }
        } catch {
            isLost = true
        }
    }
}
