package import FocusCore

/// What the store must be told of a group's chains to move a parted tail: it has neither keys nor hashes itself.
package protocol Chaining {
    /// The replica that a tail of `replica` moves to, where `chain` is the tail's own at the first event that
    /// differs (docs/protocol.md, "Parted branches").
    func branch(of replica: ReplicaID, chain: Chain) throws -> ReplicaID
    /// The chain up to `event`, which follows the events up to `chain` (docs/protocol.md, "Chains").
    func chain(after chain: Chain, _ event: StoredEvent) throws -> Chain
}
