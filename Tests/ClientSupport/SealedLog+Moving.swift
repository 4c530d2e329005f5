package import FocusCore
package import FocusLink
import FocusStore
import Testing

extension SealedLog {
    /// Moves the tail of `replica` that begins with `seq` to a new replica. A session does the same if the tail
    /// differs from the server's.
    ///
    /// - Returns: The number of events that were moved; nil if none were.
    package func moveTail(of replica: ReplicaID, from seq: UInt64) throws -> Int? {
        let first = try #require(try chains(of: replica, at: [seq]).first)
        guard case .moved(let events) = try moveBranch(of: replica, from: first) else { return nil }
        return events.count
    }
}
