import PostgreSQLKit

/// The errors of a shared store, the same as the real one's.
enum SharedStoreTrouble {
    static let unreachable = PostgreSQLError(.unreachable, "the database can't be reached")
    static let lost = PostgreSQLError(.lost, "the connection to the database is gone")
    static let unknownCommit = PostgreSQLError(.unknownCommit, "nobody knows whether it was kept")
}
