package import FocusCore
import PostgreSQLKit
import SQLiteKit

/// The error of a write that relied on outdated memory: a replica's head, or another row of a group, differs
/// in the store. Somebody else has written since, or a commit that seemed to fail has succeeded. Nothing was
/// written; the caller must read the store again.
package struct StaleCacheError: Error, Hashable, Sendable {
    /// The group's number.
    package let group: Int64
    /// The replica with another head; nil if the group is gone or another of its rows has changed.
    package let replica: ReplicaID?

    /// An error for this group, or for a replica of it.
    package init(group: Int64, replica: ReplicaID?) { (self.group, self.replica) = (group, replica) }
}

/// The meaning of a store's error for the server.
package enum StoreFailure: Hashable, Sendable {
    /// The disk is full.
    case full
    /// Others hold locks, or the database can't be reached. Either nothing was kept, or it is unknown whether
    /// the write was kept (`isUnknown`). A retry may succeed in a moment.
    case busy(isUnknown: Bool)
    /// Any other failure.
    case unwritable

    /// Whether a retry may succeed in a moment.
    package var isBusy: Bool { if case .busy = self { true } else { false } }

    /// The meaning of an error that the store threw.
    package init(_ error: any Error) {
        switch error {
        case let error as SQLiteError where error.isOutOfSpace: self = .full
        case let error as PostgreSQLError where error.isOutOfSpace: self = .full
        case let error as PostgreSQLError where error.isTransient:
            self = .busy(isUnknown: error.kind == .unknownCommit)
        default: self = .unwritable
        }
    }
}
