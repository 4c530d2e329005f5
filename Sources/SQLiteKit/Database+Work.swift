import CSQLite

/// How much statements have done, in SQLite's own counts (<https://sqlite.org/c3ref/c_stmtstatus_counter.html>): the same
/// on every machine, so that what a request costs can be held.
package struct StatementWork: Hashable, Sendable {
    /// Operations of SQLite's virtual machine.
    package var steps = 0
    /// Rows that were stepped to because no index led there.
    package var scannedRows = 0

    /// No work.
    package init() {}
}

extension Database {
    /// What this connection's kept statements have done since it was opened. Less of two is what was done between.
    package var work: StatementWork { statements.work }
}

extension StatementCache {
    fileprivate var work: StatementWork {
        var work = StatementWork()
        for statement in idle {
            work.steps += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
            work.scannedRows += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
        }
        return work
    }
}
