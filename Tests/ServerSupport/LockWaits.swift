package import PostgreSQLKit

extension PostgreSQLConnection {
    /// Waits until `count` connections to the same database wait for locks.
    ///
    /// - Returns: False if they don't after 10 seconds, or if `isOver` returns true.
    package func waitsForLocks(_ count: Int, unless isOver: () -> Bool = { false }) throws -> Bool {
        for _ in 0..<1_000 {
            let found: Int? = try rows(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            ).first?[0]
            if found == count { return true }
            if isOver() { return false }
            _ = try rows("SELECT pg_stat_clear_snapshot(), pg_sleep(0.01)")
        }
        return false
    }
}
