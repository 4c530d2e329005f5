/// A connection that throws the errors of SQLite and of schemas as they are: `SQLiteError`, `SchemaError` and
/// `UpgradeError`.
package typealias Database = DatabaseConnection<any Error>

extension DatabaseConnection where Failure == any Error {
    /// Opens a connection to the file at `path`, as `init(path:on:access:busyTimeout:failing:)` does.
    package init(
        path: String, on disk: Disk = .machine, access: Access, busyTimeout: Duration = .seconds(5)
    ) throws(SQLiteError) {
        try self.init(path: path, on: disk, access: access, busyTimeout: busyTimeout) { $0.cause }
    }
}

extension DatabaseFailure {
    /// The error.
    fileprivate var cause: any Error {
        switch self {
        case .sqlite(let error): error
        case .schema(let error): error
        case .upgrade(let error): error
        }
    }
}
