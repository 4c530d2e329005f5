package import FocusColumns
package import FocusCore

/// Something that is wrong with a server's store.
package enum StoreProblem: Hashable, Sendable {
    /// The file isn't a whole database; in SQLite's words.
    case file(String)
    /// A row can't be read.
    case row(RowDamage)
    /// A table has so many rows of groups that aren't there.
    case strayRows(table: String, count: Int)
    /// A group's roster has other counts than rows.
    case miscounted(GroupID, counts: RosterSize, rows: RosterSize)
    /// A replica's events aren't as they were acknowledged, from those on that are stored as beginning with this seq.
    case events(GroupID, ReplicaID, from: Int64, Fault)

    /// What is wrong with a replica's events.
    package enum Fault: Hashable, Sendable {
        case missing(from: UInt64, through: UInt64)
        /// Some are there twice.
        case doubled
        /// They can't be told apart.
        case unreadable
        /// There are so many, and not as many as is stored.
        case count(Int, stored: Int)
        /// They don't follow on from those before.
        case unchained
        /// The stamp of the event of this seq doesn't rise.
        case stamp(of: UInt64)
        /// The epoch of the event of this seq isn't there.
        case unknownEpoch(of: UInt64, EpochID)
        /// Their chain is another than what was acknowledged.
        case changed
    }
}
