package import FocusCore
import SQLiteKit

/// Kept as whole milliseconds since the Unix epoch.
extension Instant: SQLiteValue where Scale == SharedTime {
    /// Binds its milliseconds as an INTEGER.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        milliseconds.bind(to: statement, at: index)
    }

    /// The instant of the column's milliseconds.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(milliseconds: Int64(statement: statement, column: column))
    }
}
