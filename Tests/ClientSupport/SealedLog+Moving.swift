package import FocusCore
package import FocusLink
import FocusStore
import Testing

extension SealedLog {
    /// Moves a replica's tail from this event of it on, as a session does that has found it to differ, and tells how
    /// many events that were; nil where nothing was moved.
    package func moveTail(of replica: ReplicaID, from seq: UInt64) throws -> Int? {
        let first = try #require(try chains(of: replica, at: [seq]).first)
        guard case .moved(let events) = try moveBranch(of: replica, from: first) else { return nil }
        return events.count
    }
}
