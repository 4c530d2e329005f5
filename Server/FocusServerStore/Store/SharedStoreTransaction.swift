package import FocusCore

/// A transaction on a store that several servers share. The other servers may have written to it since this
/// server's last transaction, and may be writing now.
package protocol SharedStoreTransaction: ServerTransaction {
    /// Runs `body` with a savepoint. Its statements may be collected and sent together. Only then are groups,
    /// memberships and heads checked; until then `isMember` may return true for a device that isn't a member.
    ///
    /// - Returns: Whether the work is kept. If not, it is rolled back, and the caller must do it again in
    ///   smaller parts.
    func withBatchedStatements(_ body: () throws -> Void) throws -> Bool

    /// Whether the store may lack data that it had at the last write, because an asynchronous standby took
    /// over or an older state was restored.
    var mayHaveLostData: Bool { get }

    /// Finds out which of this connection's commits with lost answers were kept.
    ///
    /// - Returns: The outcome, or nil if this connection knows of no such commit. If the caller knows of one,
    ///   it must then assume that anything may have changed.
    func lostCommits() throws -> UnknownCommits?

    /// Locks a group exclusively until the transaction ends. It waits for transactions that use the group
    /// now, so this transaction sees their writes. A transaction that revokes a device must call this before
    /// it uses the group in any other way.
    func lockExclusively(group number: Int64) throws

    /// Keeps others from adding a successor of this epoch before the transaction ends.
    ///
    /// - Parameter known: The known successors with a body.
    /// - Throws: `StaleCacheError` if the store has others.
    func lockSuccessors(of epoch: EpochID, known: Set<EpochID>, in number: Int64) throws
}
