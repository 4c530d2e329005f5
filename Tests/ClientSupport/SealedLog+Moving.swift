package import FocusCore
package import FocusLink
import FocusStore
import Testing

extension SealedLog {
    /// Moves the events of `replica` from `seq` on to a new replica, like a session that finds them to
    /// differ.
    ///
    /// - Returns: The number of events that were moved; nil if none were.
    package func moveTail(of replica: ReplicaID, from seq: UInt64) throws -> Int? {
        let first = try #require(try chains(of: replica, at: [seq]).first)
        guard case .moved(let events) = try moveBranch(of: replica, from: first) else { return nil }
        return events.count
    }
}
