import SQLiteKit

/// What a batch of the writer's came to, for whoever counts.
package struct BatchTally: Hashable, Sendable {
    /// Why it could not be stored.
    enum Problem: Hashable, Sendable {
        /// There is no room on the disk.
        case full
        /// Whatever else.
        case unwritable

        init(_ error: any Error) {
            self = (error as? SQLiteError)?.isForLackOfRoom == true ? .full : .unwritable
        }
    }

    /// How many requests there were.
    var requests = 0
    /// How many events were new.
    var events = 0
    /// How many events of uploads were there already.
    var duplicates = 0
    /// How long it took, in microseconds.
    var duration: Int64 = 0
    /// Nil where all of it was stored.
    var problem: Problem?
}
