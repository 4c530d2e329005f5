package import FocusCore
package import FocusServerStore
package import FocusSync

/// What the reader is asked for.
package enum ReaderRequest: Sendable {
    /// A replica's events from a seq on, about so many packed bytes.
    case events(ReplicaID, from: UInt64, bytes: Int, GroupIndex.Name, to: ConnectionID)
    /// A replica's chains at these seqs.
    case chains(ReplicaID, at: [UInt64], GroupIndex.Name, to: ConnectionID)
    /// The records with bodies of these epochs of the group, from the first on, about so many bytes.
    case epochs([EpochID], bytes: Int, GroupIndex.Name, to: ConnectionID)
    /// What operators decided: another process may have written it.
    case orders
    /// So many answers were taken: more may be read.
    case taken(Int)
    /// The connection is over: nothing is to be read for it any more.
    case ended(ConnectionID)
}

/// What the reader found.
package enum ReaderAnswer: Sendable {
    /// The events, nil where there are none, and the replica's last seq.
    case events(ReplicaID, Segment?, head: UInt64, to: ConnectionID)
    case chains(ReplicaID, [Head], to: ConnectionID)
    /// The records, and how many of the epochs that were asked for were looked up.
    case epochs([EpochRecord], lookedUp: Int, to: ConnectionID)
    case orders(StandingOrders)
    /// The store could not be read.
    case failed(to: ConnectionID)
}
