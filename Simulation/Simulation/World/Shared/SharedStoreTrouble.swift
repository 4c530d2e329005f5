import PostgreSQLKit

/// What a shared store throws, as the real one does.
enum SharedStoreTrouble {
    static let unreachable = PostgreSQLError(.unreachable, "the database can't be reached")
    static let lost = PostgreSQLError(.lost, "the connection to the database is gone")
    static let unknownCommit = PostgreSQLError(.unknownCommit, "nobody knows whether it was kept")
}
