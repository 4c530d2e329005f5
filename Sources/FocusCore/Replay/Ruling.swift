/// What the log says last of whether the device of a key is shut out of the group.
package struct Ruling: Hashable, Sendable {
    /// True where a `revoke` came last, false where a `readmit` did.
    package let isRevoked: Bool
    /// The event that says so: who wrote it, and when.
    package let position: Position
}
