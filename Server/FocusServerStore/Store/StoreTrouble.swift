import SQLiteKit

/// What a server has to know of why nothing could be stored.
package enum StoreTrouble: Hashable, Sendable {
    /// There is no room on the disk.
    case full
    /// Whatever else.
    case unwritable

    /// What an error of a store's says.
    package init(_ error: any Error) {
        self = (error as? SQLiteError)?.isForLackOfRoom == true ? .full : .unwritable
    }
}
